/** An error answer of the provider. */
export class Refusal extends Error {
  readonly status: number
  readonly details: string | undefined

  constructor(status: number, message: string, details?: string) {
    super(message)
    this.status = status
    this.details = details
  }
}

export const refuse = {
  parameters: (details: string) => new Refusal(400, 'wrong request parameters', details),
  /** The token is fine, but no WhatsApp number is linked. */
  notLinked: () => new Refusal(401, 'need channel authorization'),
  unpaid: () => new Refusal(402, 'trial version limit exceeded'),
  /** A wrong token or a removed channel. */
  noChannel: () => new Refusal(404, 'channel not found'),
  notFound: (what: string) => new Refusal(404, `specified ${what} not found`),
}

/** The documented body is nested; 402 is seen live with the flat one, so it comes flat here. */
export function errorBody(status: number, message: string, details?: string, flat = status === 402): object {
  if (flat) return { code: status, error: message }
  return { error: { code: status, message, ...(details ? { details } : {}) } }
}
