import { Secret, TOTP } from 'otpauth'

/** The code that an app with this secret shows at this moment, by what every app takes for granted. */
export const codeAt = (secret: string, ms: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })
