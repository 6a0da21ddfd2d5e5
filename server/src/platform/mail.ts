import type { Config } from '../config.ts'

export type MailServer = NonNullable<Config['mail']>
export type Mail = { to: string; subject: string; text: string }

/** Less than the time after which another process takes up the same email. */
const TIME_OUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** An email that was not accepted. Names only codes, because a server's own words could repeat what it was told. */
export class MailFailure extends Error {
  /** The server itself failed, so other emails would fail as well. */
  readonly isOffline: boolean

  constructor(error: unknown) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    super([code, responseCode].filter(Boolean).join(' ') || 'unknown error')
    this.isOffline = responseCode === undefined || code === 'EAUTH'
  }
}

/** Sends a text by SMTP. Resolves when the mail server has accepted it, and throws a MailFailure otherwise. */
export async function sendMail({ url, from }: MailServer, { to, subject, text }: Mail): Promise<void> {
  // Loaded with the first email, because most processes send none.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ url, requireTLS: mustEncrypt(url), ...TIME_OUTS })
  try {
    await transport.sendMail({
      from,
      // As an object: a text would be read as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  } catch (error) {
    throw new MailFailure(error)
  } finally {
    transport.close()
  }
}

/** A password must not travel in the clear to another machine. `?requireTLS=false` in the URL overrides this. */
function mustEncrypt(url: string): boolean {
  const { username, hostname } = new URL(url)
  return username !== '' && !/^(localhost|127\..*|\[::1\])$/.test(hostname)
}
