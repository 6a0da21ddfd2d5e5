import { z } from 'zod'
import { type ErrorCode, errorWords } from './errors.ts'

const codes = Object.keys(errorWords) as [ErrorCode, ...ErrorCode[]]

/**
 * The one shape of every error answer. `error` is a sentence, or for validation a sentence for each field;
 * `params` are the values in the sentence and `fields` the keys of the field sentences, for translation.
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
