import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { partsOf } from './upload.ts'

// R-1853
test('a form that the client broke off before it was read is refused, and nobody waits for the rest', () => {
  const request = { raw: { destroyed: true }, parts: () => expect.unreachable('read') }
  expect(() => partsOf(request as unknown as FastifyRequest, {})).toThrow(
    expect.objectContaining({ code: 'form_damaged' }),
  )
})
