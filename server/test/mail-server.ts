import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = { to: string; subject: string; text: string; isEncrypted: boolean }

export const mailPassword = 'secret-of-the-mail-server'

/** A certificate for localhost that nobody else trusts, with its key. */
export const mailCertificate = readFileSync(join(import.meta.dirname, 'fixtures/mail-server.pem'), 'utf8')

/**
 * A real SMTP server, which wants a password. Begins now, so that a test file knows its address when it makes its
 * context. `accept` may refuse mails: it returns the error that the server answers with, or waits. `signIns` says of
 * each attempt to sign in whether it was encrypted.
 */
export async function startMailServer({ hasStartTls = false } = {}) {
  const mails: ReceivedMail[] = []
  const signIns: ('encrypted' | 'plain')[] = []
  const state = { mails, signIns, accept: (_to: string): Error | null | Promise<never> => null }
  const server = new SMTPServer({
    disabledCommands: hasStartTls ? [] : ['STARTTLS'],
    key: mailCertificate,
    cert: mailCertificate,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: ({ username, password }, { secure }, done) => {
      signIns.push(secure ? 'encrypted' : 'plain')
      if (password === mailPassword) done(null, { user: username })
      else done(new Error(`Wrong: ${password}`))
    },
    onRcptTo: async ({ address }, _session, done) => done(await state.accept(address)),
    onData: (stream, { envelope, secure }, done) =>
      void text(stream).then((raw) => {
        for (const { address } of envelope.rcptTo)
          mails.push({ to: address, isEncrypted: secure, ...parse(raw) })
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
