import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint, Input } from '@sendroom/contract/endpoint'
import type { Problem } from '@sendroom/contract/problem'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { z } from 'zod'
import { buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { type FileStore, openFiles } from '../src/platform/files/store.ts'
import { type ImageStore, openImages } from '../src/platform/images/store.ts'
import type { Providers } from '../src/providers/provider.ts'
import { DatabaseContext } from './database-context.ts'
import type { TestUser } from './factories.ts'
import { encodeForm } from './forms.ts'
import { addressOf } from './http-client.ts'

export type Reply<E extends Endpoint> = {
  status: number
  /** The endpoint's response if the status is a success, otherwise the problem. */
  body: (E extends { response: infer S extends z.ZodType } ? z.output<S> : unknown) & Problem
  headers: Record<string, string | string[] | number | undefined>
  raw: Buffer
}

type Options = {
  /** Without providers, each call of a provider fails the test. */
  providers?: () => Promise<Providers> | Providers
  env?: Record<string, string>
  /** The address that webhooks call. Without one, the app sets no webhooks. */
  webhookBase?: () => string | null
}

/**
 * A fresh context for each test of the file: a database cloned from the migrated template, factories that make their
 * own parents, and `call`, which goes through the real app. Tests share nothing, so they have nothing to clean up.
 */
export function useContext(options: Options = {}) {
  const context = new TestContext(options)
  beforeEach(() => context.open())
  afterEach(() => context.close())
  return context
}

/**
 * A context for all tests of the file, which takes a fraction of the time. Only for tests that use their own data and
 * don't notice what others have left: they share the database, its clock and the limits of the app.
 */
export function useSharedContext(options: Options = {}) {
  const context = new TestContext(options)
  beforeAll(() => context.open())
  afterAll(() => context.close())
  return context
}

export class TestContext extends DatabaseContext {
  readonly config: Config
  readonly #options: Options
  #folder = ''
  #app: Promise<FastifyInstance> | undefined

  constructor(options: Options = {}) {
    super()
    this.#options = options
    this.config = readConfig({ LOG_LEVEL: 'silent', ...options.env })
  }

  override async open() {
    await super.open()
    this.#folder = await mkdtemp(join(tmpdir(), 'sendroom-test-'))
    await this.images.prepare(false)
    await this.files.prepare(false)
    this.#app = undefined
  }

  override async close() {
    await (await this.#app)?.close()
    await super.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  get images(): ImageStore {
    return openImages({ dataDir: this.#folder, imageStore: { kind: 'disk' } })
  }

  get files(): FileStore {
    return openFiles({ dataDir: this.#folder, imageStore: { kind: 'disk' } })
  }

  get filesFolder(): string {
    return join(this.#folder, 'files')
  }

  /** Makes the store of files fail. */
  async breakFiles() {
    await rm(this.filesFolder, { recursive: true, force: true })
  }

  /** Makes the image store fail: a file takes the place of its folder. */
  async breakImages() {
    await rm(join(this.#folder, 'images'), { recursive: true, force: true })
    await writeFile(join(this.#folder, 'images'), '')
  }

  get app(): Promise<FastifyInstance> {
    this.#app ??= this.#build()
    return this.#app
  }

  /** Lets the app listen, unless it does so already. Returns its port on 127.0.0.1. */
  async listen(): Promise<number> {
    const app = await this.app
    if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
    return (app.server.address() as AddressInfo).port // listening on TCP
  }

  /** Calls an endpoint as this user (null: without a session), with real parsing and real access rules. */
  async call<E extends Endpoint>(user: TestUser | null, endpoint: E, input: Input<E>): Promise<Reply<E>> {
    const { params, query, body } = input as { params?: object; query?: object; body?: unknown }
    const request: InjectOptions = {
      method: endpoint.method,
      url: addressOf(endpoint, params, query),
      headers: user ? { authorization: `Bearer ${user.token}` } : {},
    }
    if (body instanceof FormData) {
      const { payload, contentType } = await encodeForm(body)
      Object.assign(request, { payload, headers: { ...request.headers, 'content-type': contentType } })
    } else if (body !== undefined) request.payload = body as object
    // A stream never ends, so `inject` must not wait for the whole body.
    if (endpoint.stream) request.payloadAsStream = true
    const answer = await (await this.app).inject(request)
    const isJson = !endpoint.stream && String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      body: (isJson ? answer.json() : undefined) as Reply<E>['body'], // the contract's type; the tests check the values
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
      files: this.files,
      providers: (await this.#options.providers?.()) ?? noProviders,
      webhookBase: this.#options.webhookBase ?? (() => null),
      log: pino({ level: 'silent' }),
    })
  }
}

const refuse = (name: string) => () => {
  throw new Error(`This test called the provider (${name}) without bringing one.`)
}

const noProviders = {
  live: new Proxy({}, { get: (_target, name) => refuse(String(name)) }),
  test: new Proxy({}, { get: (_target, name) => refuse(String(name)) }),
} as Providers // the proxies have every method
