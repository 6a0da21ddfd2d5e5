/** What the secrets of a round are made from. */
export const SECRET_KEY = 'the chaos suite keeps no real secrets'
