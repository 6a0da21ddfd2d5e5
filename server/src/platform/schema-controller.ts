import { serializerCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { InvalidInput } from './refusal.ts'

/** Parses with the contract's schema and turns its issues into one key for each field. */
const validatorCompiler =
  ({ schema }: { schema: unknown }) =>
  (data: unknown) => {
    const result = (schema as z.ZodType).safeParse(data)
    return result.success ? { value: result.data } : { error: invalidInput(result.error) }
  }

/**
 * Makes Fastify use the contract's schemas. As an option of its constructor: set later, Fastify would first load its
 * own two compilers, which take 4 MB.
 */
export const schemaController = {
  compilersFactory: {
    // The types only allow for JSON schemas.
    buildValidator: () => validatorCompiler as never,
    buildSerializer: () => serializerCompiler as never,
  },
}

/** Nobody mends more at a time, and an answer with a problem for each of 100,000 ids has ten megabytes. */
const MAX_PROBLEMS = 20

function invalidInput(error: z.ZodError): InvalidInput {
  const fields = new Map<string, string>()
  for (const { path, message } of error.issues.slice(0, MAX_PROBLEMS)) {
    const field = path.join('.') || 'body'
    if (!fields.has(field)) fields.set(field, message)
  }
  return new InvalidInput(Object.fromEntries(fields))
}
