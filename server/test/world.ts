import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import type { Problem } from '@sendroom/contract/problem'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach } from 'vitest'
import type { z } from 'zod'
import { buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Pool } from '../src/platform/database/connection.ts'
import { type ImageStore, openImages } from '../src/platform/images.ts'
import { type Secrets, secretsOf } from '../src/platform/secrets.ts'
import type { Providers } from '../src/providers/provider.ts'
import { addressOf } from './address.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { factories, type TestUser } from './factories.ts'
import { noProviders } from './no-providers.ts'

export type Reply<E extends Endpoint> = {
  status: number
  /** The answer where the status says so, else the problem. */
  body: (E extends { response: infer S extends z.ZodType } ? z.output<S> : unknown) & Problem
  headers: Record<string, string | string[] | number | undefined>
  raw: Buffer
}

type Options = {
  providers?: () => Promise<Providers> | Providers
  env?: Record<string, string>
  /** Where accounts reach the app; nowhere unless said otherwise. */
  webhookBase?: () => string | null
}

/**
 * A world of its own for each test of the file: a database cloned from the migrated template, factories that make
 * their own parents, and `call`, which goes through the real app. Nothing to clean, nothing to share.
 */
export function useWorld(options: Options = {}) {
  const world = new World(options)
  beforeEach(() => world.open())
  afterEach(() => world.close())
  return world
}

export class World {
  readonly secrets: Secrets = secretsOf('the secret key of the tests, long enough')
  readonly config: Config
  /** Instances whose groups the app asked to read. */
  syncRequests: number[] = []
  #options: Options
  #database: TestDatabase | undefined
  #folder = ''
  #app: Promise<FastifyInstance> | undefined

  constructor(options: Options) {
    this.#options = options
    this.config = readConfig({ LOG_LEVEL: 'silent', ...options.env })
  }

  async open() {
    this.#database = await createTestDatabase()
    this.#folder = await mkdtemp(join(tmpdir(), 'sendroom-world-'))
    this.syncRequests = []
    this.#app = undefined
  }

  async close() {
    await (await this.#app)?.close()
    await this.#database?.drop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  get database(): TestDatabase {
    if (!this.#database) throw new Error('The world is open only inside a test.')
    return this.#database
  }

  get db(): Pool {
    return this.database.db
  }

  get images(): ImageStore {
    return openImages({ dataDir: this.#folder, imageStore: { kind: 'disk' } })
  }

  /** As a disk that can't be used: a file lies where the folder of the images belongs. */
  async breakImages() {
    await rm(join(this.#folder, 'images'), { recursive: true, force: true })
    await writeFile(join(this.#folder, 'images'), '')
  }

  get app(): Promise<FastifyInstance> {
    this.#app ??= this.#build()
    return this.#app
  }

  /** Makes users, instances, groups, messages and jobs straight in the database. */
  get add() {
    return factories(this.db, this.secrets)
  }

  /** Moves the database's clock: everything reads time from there. */
  async shiftClock(interval: string) {
    await this.db.script(`
      create or replace function clock_now() returns timestamptz language sql stable
      as $$ select now() + interval '${interval}' $$`)
  }

  /** Calls an endpoint as this user (null: nobody), with real parsing and real access rules. */
  async call<E extends Endpoint>(user: TestUser | null, endpoint: E, input: Input<E>): Promise<Reply<E>> {
    const { params, query, body } = input as { params?: object; query?: object; body?: unknown }
    const request: InjectOptions = {
      method: endpoint.method,
      url: addressOf(endpoint, params, query),
      headers: user ? { authorization: `Bearer ${user.token}` } : {},
    }
    if (body instanceof FormData) Object.assign(request, await formPayload(body, request.headers))
    else if (body !== undefined) request.payload = body as object
    // A stream goes on for ever: its beginning says enough.
    if (endpoint.stream) request.payloadAsStream = true
    const answer = await (await this.app).inject(request)
    const isJson = !endpoint.stream && String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      body: (isJson ? answer.json() : undefined) as Reply<E>['body'], // as the contract says, or a test finds out
      headers: answer.headers,
      raw: endpoint.stream ? Buffer.of() : answer.rawPayload,
    }
  }

  async #build() {
    return buildApp({
      db: this.db,
      config: this.config,
      secrets: this.secrets,
      images: this.images,
      providers: (await this.#options.providers?.()) ?? noProviders,
      requestSync: async (instanceId) => void this.syncRequests.push(instanceId),
      webhookBase: this.#options.webhookBase ?? (() => null),
      log: pino({ level: 'silent' }),
    })
  }
}

async function formPayload(form: FormData, headers: InjectOptions['headers']) {
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type') ?? ''
  return {
    payload: Buffer.from(await encoded.arrayBuffer()),
    headers: { ...headers, 'content-type': contentType },
  }
}
