import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = { to: string; subject: string; text: string }

export const mailPassword = 'secret-of-the-mail-server'

/**
 * A real SMTP server, which wants a password. Begins now, so that a test file knows its address when it makes its context.
 * `accept` may refuse mails: it returns the error that the server answers with.
 */
export async function startMailServer() {
  const mails: ReceivedMail[] = []
  const state = { mails, accept: (_to: string): Error | null => null }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      password === mailPassword ? done(null, { user: username }) : done(new Error(`Wrong: ${password}`)),
    onRcptTo: ({ address }, _session, done) => done(state.accept(address)),
    onData: (stream, { envelope }, done) =>
      void text(stream).then((raw) => {
        for (const { address } of envelope.rcptTo) mails.push({ to: address, ...parse(raw) })
        done()
      }),
  })
  server.on('error', () => {}) // clients that hang up
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.server.address() as AddressInfo // listening on TCP
  return Object.assign(state, {
    url: `smtp://sendroom:${mailPassword}@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  })
}

/** The subject and the text of a mail with one part, as nodemailer writes them. */
function parse(raw: string): { subject: string; text: string } {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const headers = head.replace(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? ''
  return {
    subject: header('subject')
      .replace(/\?= =\?/g, '?==?')
      .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
        decode(encoding.toLowerCase() === 'b' ? 'base64' : 'quoted-printable', word.replaceAll('_', ' ')),
      ),
    text: decode(header('content-transfer-encoding'), body.join('\r\n\r\n')).replaceAll('\r\n', '\n'),
  }
}

function decode(encoding: string, encoded: string): string {
  if (encoding === 'base64') return Buffer.from(encoded, 'base64').toString()
  if (encoding !== 'quoted-printable') return encoded
  const bytes = encoded
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
