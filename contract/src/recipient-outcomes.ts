// This file does not import zod, so that the router does not load the schemas.

export const recipientOutcomes = ['Sent', 'Failed', 'Waiting', 'Skipped'] as const
export type RecipientOutcome = (typeof recipientOutcomes)[number]
