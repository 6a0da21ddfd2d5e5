import { contract } from '@sendroom/contract'
import type { FastifyInstance } from 'fastify'
import type { Pool } from '../../platform/database/connection.ts'
import { route } from '../../platform/http.ts'
import { readCalendar } from './calendar.service.ts'

export const calendarRoutes = (app: FastifyInstance, db: Pool): void =>
  route(app, contract.calendar.read, ({ caller, query }) => readCalendar(db, caller, query))
