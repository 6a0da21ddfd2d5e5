import { z } from 'zod'
import type { FieldKey } from './field-words.ts'
import { type ReasonCode, reasonWords } from './reasons.ts'

/** A validation message that has words: a misspelt key does not compile. */
export const key = (name: FieldKey): FieldKey => name

/** For `when`: compares fields as soon as there are any, also where one of them is not right by itself. */
export const isForm = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Empty strings count as absent, as in the addresses the web app makes. */
export const blankable = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

/** A database id, also as text (in paths and multipart fields). */
export const Id = z.coerce.number<number | string>().int().positive().max(Number.MAX_SAFE_INTEGER)

export const idParams = z.object({ id: Id })

/** An instant on the wire: ISO-8601, UTC. */
export const Instant = z.iso.datetime()

const reasonCodes = Object.keys(reasonWords) as [ReasonCode, ...ReasonCode[]]

/** A reason as code and params; the web writes it in the reader's language. */
export const Reason = z
  .object({
    code: z.enum(reasonCodes),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'Reason' })
export type Reason = z.output<typeof Reason>

/** A thing named in another thing's row. */
export const Named = z.object({ id: z.number(), name: z.string() })
export type Named = z.output<typeof Named>
