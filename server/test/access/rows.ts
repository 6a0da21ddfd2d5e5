import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import type { Fixture } from './fixture.ts'

/** The status that each of the callers gets, in their order. */
export type Statuses = [number, number, number, number, number, number]

export const everybody = (status: number): Statuses => [status, status, status, status, status, status]
export const signedInUsers = (status: number): Statuses => [401, 401, status, status, status, status]
export const admins = (status: number): Statuses => [401, 401, 403, 403, 403, status]

/** The expected statuses of an endpoint, and the input of the call. */
export type Row<E extends Endpoint> = [Statuses, (fixture: Fixture) => Input<E> | Promise<Input<E>>]
/** A row for each endpoint of a feature. */
export type RowsOf<F> = { [N in keyof F]: F[N] extends Endpoint ? Row<F[N]> : never }

export const of = (id: number) => ({ params: { id } })
