import { z } from 'zod'
import type { FieldKey } from './field-words.ts'
import { type ReasonCode, reasonWords } from './reasons.ts'

/** Returns the key of a validation error. The type rejects keys without a text. */
export const key = (name: FieldKey): FieldKey => name

/** For the `when` of a refinement that compares fields: runs it even if some fields are invalid. */
export const isForm = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** Treats empty strings as absent. For query parameters, which may be empty. */
export const blankable = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema)

/** A database id. Accepts text as well, for paths and multipart fields. */
export const Id = z.coerce.number<number | string>().int().positive().max(Number.MAX_SAFE_INTEGER)

/**
 * A list of ids, given by its schema. A list with a wrong id is refused anyway, so only its beginning is checked then:
 * an issue for each of 100,000 wrong ids takes a third of a second.
 */
export const idList = <S extends z.ZodArray<typeof Id>>(list: S) =>
  z.preprocess((ids: (number | string)[]) => {
    const isWrong = (id: unknown) => !Number.isSafeInteger(Number(id)) || Number(id) <= 0
    const wrong = Array.isArray(ids) ? ids.findIndex(isWrong) : -1
    return wrong === -1 ? ids : ids.slice(0, wrong + 20)
  }, list)

export const idParams = z.object({ id: Id })

/** An instant on the wire: ISO-8601, UTC. */
export const Instant = z.iso.datetime()

const reasonCodes = Object.keys(reasonWords) as [ReasonCode, ...ReasonCode[]]

/** A reason of `reasons.ts` as code and params, for translation. */
export const Reason = z
  .object({
    code: z.enum(reasonCodes),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'Reason' })
export type Reason = z.output<typeof Reason>

/** A reference by id with its name, such as an instance in a group's row. */
export const Named = z.object({ id: z.number(), name: z.string() })
export type Named = z.output<typeof Named>
