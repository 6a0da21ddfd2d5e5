import { z } from 'zod'
import { type ErrorCode, errorWords } from './errors.ts'

const codes = Object.keys(errorWords) as [ErrorCode, ...ErrorCode[]]

/**
 * The body of every error answer. `error` is an English sentence, or for validation errors one sentence per field.
 * For translation, `params` has the values in the sentence, and `fields` the translation keys by field.
 */
export const Problem = z
  .object({
    code: z.enum(codes),
    error: z.union([z.string(), z.record(z.string(), z.string())]),
    params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    fields: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.output<typeof Problem>
