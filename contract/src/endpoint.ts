import type { z } from 'zod'

/** Who may call: anybody, anybody signed in, or a signed-in user with that flag or role (an Admin always may). */
export type Access = 'public' | 'signedIn' | 'canSendMessages' | 'canCreateJobs' | 'admin'

/**
 * One call of the API: the server's route, the typed client and the OpenAPI document all derive from it.
 * Paths are relative to `/api`. An endpoint without `response` answers 204.
 */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: `/${string}`
  /** Required, so that nobody can add an endpoint and forget to say who may call it. */
  access: Access
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  response?: z.ZodType
  /** The status of a good answer, where it is not 200 (or 204). */
  status?: 201 | 202
  /** The field that may carry a file: such a call takes multipart/form-data beside JSON. */
  upload?: string
  /** The answer is a file of this media type instead of JSON. */
  download?: string
  /** The answer is a stream of this media type that goes on until somebody ends it. */
  stream?: string
}

/** Keeps the exact types of what it is given; checks that it is an endpoint. */
export const endpoint = <const E extends Endpoint>(e: E): E => e

/** What the server's handler is given: everything parsed. */
export type Parsed<E extends Endpoint> = {
  params: E extends { params: infer S extends z.ZodType } ? z.output<S> : undefined
  query: E extends { query: infer S extends z.ZodType } ? z.output<S> : undefined
  body: E extends { body: infer S extends z.ZodType } ? z.output<S> : undefined
}

/** What a caller gives. Query fields may all be left out: the contract has defaults for them. */
export type Input<E extends Endpoint> = (E extends { params: infer S extends z.ZodType }
  ? { params: z.output<S> }
  : unknown) &
  (E extends { query: infer S extends z.ZodType } ? { query?: Partial<z.output<S>> } : unknown) &
  (E extends { body: infer S extends z.ZodType }
    ? { body: z.input<S> | (E extends { upload: string } ? FormData : never) }
    : unknown)

/** What a caller gets: the parsed answer, or nothing. */
export type Output<E extends Endpoint> = E extends { response: infer S extends z.ZodType }
  ? z.output<S>
  : undefined
