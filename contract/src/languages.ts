/** The languages of the app and of emails. This file does not import zod, because the first page needs it. */
export const languages = ['vi', 'en', 'cn'] as const
export type Language = (typeof languages)[number]
