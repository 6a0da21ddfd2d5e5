/** Whether a number is on WhatsApp. Only an explicit no is `no`. This file does not import zod. */
export const numberAnswers = ['yes', 'no', 'unknown'] as const
export type NumberAnswer = (typeof numberAnswers)[number]
