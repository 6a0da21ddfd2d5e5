import type { Transporter } from 'nodemailer'
import type { Config } from '../config.ts'

export type MailServer = NonNullable<Config['mail']>
export type Mail = { to: string; subject: string; text: string }

const TIME_OUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** Less than the time after which another process takes up the same email: a slow server could need longer in all. */
const SEND_MS = 45_000

/** An email that was not accepted. Names only codes, because a server's own words could repeat what it was told. */
export class MailFailure extends Error {
  readonly kind: 'sign_in' | 'encryption' | 'message' | 'other'
  /** The mail server has asked to come back later. */
  readonly isTemporary: boolean

  constructor(error: unknown) {
    const { code, originalCode, responseCode } = error as Codes
    super([code, originalCode, responseCode].filter(Boolean).join(' ') || 'unknown error')
    this.kind = kindOf(code, originalCode)
    this.isTemporary = responseCode !== undefined && responseCode >= 400 && responseCode < 500
  }
}

/** Nodemailer's errors have these. `originalCode` is that of the network or of TLS. */
type Codes = { code?: string; originalCode?: string; responseCode?: number }

function kindOf(code = '', originalCode = ''): MailFailure['kind'] {
  if (code === 'EAUTH') return 'sign_in'
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return 'message'
  return code === 'ETLS' || /CERT|LEAF_SIGNATURE|INVALID_CA/.test(originalCode) ? 'encryption' : 'other'
}

/** Sends a text by SMTP. Resolves when the mail server has accepted it, and throws a MailFailure otherwise. */
export const sendMail = (server: MailServer, { to, subject, text }: Mail): Promise<void> =>
  connectTo(server, TIME_OUTS, (transport) =>
    transport.sendMail({
      from: server.from,
      // As an object: a text would be read as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.timeout(SEND_MS),
    }),
  )

/** Connects and signs in as for an email, but sends none. Each step may take `ms`. Throws a MailFailure. */
export const tryMailServer = (server: MailServer, ms: number): Promise<void> =>
  connectTo(server, { connectionTimeout: ms, greetingTimeout: ms, socketTimeout: ms }, (transport) =>
    transport.verify(),
  )

async function connectTo(
  { url }: MailServer,
  timeOuts: typeof TIME_OUTS,
  work: (transport: Transporter) => Promise<unknown>,
): Promise<void> {
  // Loaded with the first email, because most processes send none.
  const { createTransport } = await import('nodemailer')
  try {
    const transport = createTransport({ url, requireTLS: mustEncrypt(url), ...timeOuts })
    await work(transport).finally(() => transport.close())
  } catch (error) {
    throw new MailFailure(error)
  }
}

/** A password must not travel in the clear to another machine. `?requireTLS=false` in the URL overrides this. */
function mustEncrypt(url: string): boolean {
  const { username, password, hostname } = new URL(url)
  return username + password !== '' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
