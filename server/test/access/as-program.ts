import { randomUUID } from 'node:crypto'
import { contract } from '@sendroom/contract'
import type { Endpoint } from '@sendroom/contract/endpoint'
import { signedIn } from './matrix.ts'

/** The calls that API keys may make. */
export const openToKeys = signedIn.filter(({ endpoint }) => endpoint.allowsApiKeys)

/** A key needs an idempotency key to create a job. */
export function asProgram(endpoint: Endpoint, input: object) {
  if (endpoint !== contract.jobs.create) return input
  const { body } = input as { body: object }
  return { ...input, body: { ...body, requestId: randomUUID() } }
}
