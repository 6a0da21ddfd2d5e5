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

/** The number of wrong items that the answer to a list of ids names. */
const MAX_WRONG_ITEMS = 20

/**
 * A list of ids. Items beyond the maximum and beyond the 20th wrong one are cut off before they are parsed, because an
 * issue for each of 100,000 wrong ids takes half a second.
 */
export const idList = (max: number, { min = 0, tooMany }: { min?: number; tooMany?: FieldKey } = {}) =>
  z.preprocess(
    (list: (number | string)[]) => (Array.isArray(list) ? cutOff(list.slice(0, max + 1)) : list),
    z.array(Id).min(min).max(max, tooMany),
  )

function cutOff(list: (number | string)[]): (number | string)[] {
  let wrong = 0
  const last = list.findIndex((item) => !isId(Number(item)) && ++wrong === MAX_WRONG_ITEMS)
  return last === -1 ? list : list.slice(0, last + 1)
}

const isId = (id: number) => Number.isSafeInteger(id) && id > 0

export const idParams = z.object({ id: Id })

/** With nine digits of a second an instant has 30 characters. PostgreSQL fails on more than about a hundred. */
const MAX_INSTANT = 40

/** An instant on the wire: ISO-8601, UTC. With the text for a wrong one in a form. */
export const instant = (wrong?: FieldKey) => z.iso.datetime(wrong).max(MAX_INSTANT, wrong)
export const Instant = instant()

/** A local time of day, HH:MM. */
export const timeOfDay = (wrong: FieldKey) => z.string(wrong).regex(/^([01]\d|2[0-3]):[0-5]\d$/, wrong)

const isTimeZone = (name: string) => {
  try {
    // Only UTC and names with a slash: PostgreSQL inverts the sign of offsets such as +07:00 and takes CET as a fixed
    // offset without daylight saving time.
    return (
      (name === 'UTC' || name.includes('/')) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
    )
  } catch {
    return false
  }
}

/** The name of a time zone, such as Asia/Ho_Chi_Minh. */
export const TimeZone = z
  .string(key('ACCOUNT_FORM.TIME_ZONE_INVALID'))
  .max(100, key('ACCOUNT_FORM.TIME_ZONE_INVALID'))
  .refine(isTimeZone, key('ACCOUNT_FORM.TIME_ZONE_INVALID'))

/** The version of a record that a change was made from. Accepts text as well, for multipart fields. */
export const ReadVersion = z.coerce
  .number<number | string>()
  .int()
  .positive()
  .max(2 ** 31 - 1)
  .optional()
  .describe(
    'The `version` that you have read. If the record was edited since, nothing is changed and the answer is 409 `stale_version`. Without it the last edit wins.',
  )

const reasonCodes = Object.keys(reasonWords) as [ReasonCode, ...ReasonCode[]]

/** A reason of `reasons.ts` as code and params, for translation. */
export const Reason = z
  .object({
    code: z.enum(reasonCodes),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'Reason' })
export type Reason = z.output<typeof Reason>

/** Why an account sends nothing at the moment, and when that ends by itself. `until` is null if that is unknown. */
export const Hold = z.object({ why: Reason, until: Instant.nullable() }).meta({ id: 'Hold' })
export type Hold = z.output<typeof Hold>

/** How many there are, and the first of them. */
export const firstOf = <S extends z.ZodType>(item: S) => z.object({ total: z.number(), first: z.array(item) })

/** A reference by id with its name, such as an instance in a group's row. */
export const Named = z.object({ id: z.number(), name: z.string() })
export type Named = z.output<typeof Named>
