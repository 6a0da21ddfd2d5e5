/** An error answer: HTTP status, message and optional details. Routes throw refusals; app.ts turns them into bodies. */
export class Refusal extends Error {
  readonly status: number
  readonly details: string | undefined

  constructor(status: number, message: string, details?: string) {
    super(message)
    this.status = status
    this.details = details
  }
}

/** The refusals that several routes share. Statuses come from Whapi's OpenAPI file 1.8.7 unless noted. */
export const refuse = {
  parameters: (details: string) => new Refusal(400, 'wrong request parameters', details),
  /** The token is valid, but no WhatsApp number is linked. */
  notLinked: () => new Refusal(401, 'need channel authorization'),
  /** WhatsApp's error 463. How it looks through Whapi is unconfirmed. */
  firstMessage: (why: string) => new Refusal(403, 'message refused by WhatsApp', `error 463, ${why}`),
  unpaid: () => new Refusal(402, 'trial version limit exceeded'),
  /** The token is wrong or its channel was removed. The source is Whapi's agent skill, April 2026. */
  noChannel: () => new Refusal(404, 'channel not found'),
  notFound: (what: string) => new Refusal(404, `specified ${what} not found`),
}

/**
 * Returns the JSON body of an error. The documented body is nested: `{ error: { code, message, details? } }`. The live
 * API answers 402 with the flat `{ code, error }`, so 402 is flat here unless `flat` says otherwise.
 */
export function errorBody(status: number, message: string, details?: string, flat = status === 402): object {
  if (flat) return { code: status, error: message }
  return { error: { code: status, message, ...(details ? { details } : {}) } }
}
