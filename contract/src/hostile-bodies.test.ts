import { expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from './index.ts'

const hostile = [undefined, null, Number.POSITIVE_INFINITY, '', [], [null], {}, true]

/** The endpoints with a body, by their names. */
const bodies = Object.entries(contract).flatMap(([feature, endpoints]) =>
  Object.entries(endpoints).flatMap(([name, endpoint]) =>
    'body' in endpoint && endpoint.body instanceof z.ZodType
      ? [[`${feature}.${name}`, endpoint.body] as const]
      : [],
  ),
)

/** The names of the fields, as far as JSON Schema tells them. */
const fieldsOf = (body: z.ZodType) =>
  Object.keys(z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' }).properties ?? {})

// A rule about several fields also runs while some of them are of a wrong type.
test.each(bodies)('the body of %s is refused, and no rule fails, whatever its fields are', (_, body) => {
  const fields = fieldsOf(body)
  for (const value of hostile) {
    expect(() => body.safeParse(value)).not.toThrow()
    expect(() => body.safeParse(Object.fromEntries(fields.map((field) => [field, value])))).not.toThrow()
    for (const field of fields) expect(() => body.safeParse({ [field]: value })).not.toThrow()
  }
})
