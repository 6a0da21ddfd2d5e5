/** The languages of the app and of e-mails. This file does not import zod, because the first page needs it. */
export const languages = ['vi', 'en', 'cn'] as const
export type Language = (typeof languages)[number]
