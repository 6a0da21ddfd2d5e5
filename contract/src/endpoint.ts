import type { z } from 'zod'
import type { Right } from './rights.ts'

/**
 * The callers of an endpoint: everybody, signed-in users, or users with a right or role. Admins have all rights.
 * `canSendTests` is no right of its own: a test is a text of the caller's own and a job, so it needs both rights.
 */
export type Access = 'public' | 'signedIn' | Right | 'canSendTests' | 'admin'

/**
 * An endpoint of the API. The server's route, the typed client and the OpenAPI document are derived from it. The path
 * is relative to `/api`. Without `response` the endpoint answers 204.
 *
 * An endpoint is declared in the feature's file of this folder, with its `access`, and handled by a call of `route` in
 * `server/src/features/…/….routes.ts`. A new feature also joins `contract` (index.ts) and `addPages`
 * (server/src/app.ts). `route` (server/src/platform/http.ts) refuses whoever `RULES` (access.ts beside it) does not let
 * through, before it reads the body; writes are checked again in their transaction. Rules about single rows, such as
 * `canSeeInstance`, belong to the feature's queries.
 */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: `/${string}`
  /** Required, so that no endpoint can be added without a decision about access. */
  access: Access
  /**
   * The caller must have entered the password in this session within the last `confirmationMinutes`. Otherwise the
   * answer is 403 `confirm_password`, and `POST /auth/confirm` makes the call possible.
   */
  needsConfirmation?: true
  /** Opens the endpoint to API keys with the rights that they and their owners have. Others answer `not_for_keys`. */
  allowsApiKeys?: true
  /** Also for users who have to set up a second factor before anything else. */
  isBeforeFactor?: true
  /** Part of how a user ends a stolen session. Has limits and turns of its own, which the thief can't use up. */
  isDefence?: true
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  response?: z.ZodType
  /** The status of a successful answer, if it is not 200 (or 204). */
  status?: 201 | 202
  /** A GET that changes something, as the specification of the product has it. `HEAD` is refused with 405. */
  hasEffect?: true
  /** The name of the file field. The endpoint then accepts multipart/form-data as well as JSON. */
  upload?: string
  /** The field of a form that has the whole body as JSON. Without it each field of the form is one of the body. */
  form?: string
  /** The media type of the answer, if it is a file instead of JSON. */
  download?: string
  /** The media type of the answer, if it is a stream. Streams stay open until one side closes them. */
  stream?: string
}

/** Checks that a literal is an endpoint and keeps its exact type. */
export const endpoint = <const E extends Endpoint>(e: E): E => e

/** The parsed input of the server's handler. */
export type Parsed<E extends Endpoint> = {
  params: E extends { params: infer S extends z.ZodType } ? z.output<S> : undefined
  query: E extends { query: infer S extends z.ZodType } ? z.output<S> : undefined
  body: E extends { body: infer S extends z.ZodType } ? z.output<S> : undefined
}

/** The input of a caller. All query fields are optional, because the schemas have defaults. */
export type Input<E extends Endpoint> = (E extends { params: infer S extends z.ZodType }
  ? { params: z.output<S> }
  : unknown) &
  (E extends { query: infer S extends z.ZodType } ? { query?: Partial<z.output<S>> } : unknown) &
  (E extends { body: infer S extends z.ZodType }
    ? { body: z.input<S> | (E extends { upload: string } ? FormData : never) }
    : unknown)

/** The answer for a caller; undefined for an endpoint without `response`. */
export type Output<E extends Endpoint> = E extends { response: infer S extends z.ZodType }
  ? z.output<S>
  : undefined
