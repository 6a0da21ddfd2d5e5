import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { mailCertificate, mailPassword, startMailServer } from '../../test/mail-server.ts'
import { until } from '../../test/until.ts'
import { sendMail, tryMailServer } from './mail.ts'

const [encrypting, plain] = [await startMailServer({ hasStartTls: true }), await startMailServer()]
const servers = [encrypting, plain]
afterAll(() => Promise.all(servers.map((server) => server.close())))
afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers) {
    server.mails.length = 0
    server.signIns.length = 0
    server.accept = () => null
  }
})

const mail = { to: 'lan@example.com', subject: 'Hello', text: 'All is well.' }
const trusting = `?tls.ca=${encodeURIComponent(mailCertificate)}`
/** The mail server under another name. Nobody reaches another machine by 0.0.0.0, but Sendroom does not know that. */
const urlOf = ({ url }: typeof plain, host: 'localhost' | '0.0.0.0', query = '') =>
  url.replace('127.0.0.1', host) + query
const from = 'alerts@example.com'
const send = (url: string) => sendMail({ url, from }, mail)
const tryOut = (url: string) => tryMailServer({ url, from }, 5000)

//
test('an email arrives over STARTTLS, and so does the password', async () => {
  await send(urlOf(encrypting, 'localhost', trusting))
  expect(encrypting.mails).toMatchObject([{ to: mail.to, subject: mail.subject, isEncrypted: true }])
  expect(encrypting.signIns).toEqual(['encrypted'])
})

//
test.each([
  ['a certificate of an unknown authority', urlOf(encrypting, 'localhost'), /CERT/],
  [
    'a certificate of another name',
    urlOf(encrypting, '0.0.0.0', trusting),
    'ESOCKET ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  ['no encryption on another machine', urlOf(plain, '0.0.0.0'), /^ETLS/],
  ['no encryption for a password alone', urlOf(plain, '0.0.0.0').replace('sendroom:', ':'), /^ETLS/],
])('%s is refused before the password is sent', async (_name, url, why) => {
  for (const attempt of [() => send(url), () => tryOut(url)])
    await expect(attempt()).rejects.toMatchObject({
      kind: 'encryption',
      message: typeof why === 'string' ? why : expect.stringMatching(why),
    })
  expect(servers.flatMap(({ mails, signIns }) => [...mails, ...signIns])).toEqual([])
})

//
test('a server that is slow with each answer is given up before another process sends the email too', async () => {
  const limit = new AbortController()
  const timeOut = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
  let isAsked = false
  plain.accept = () => {
    isAsked = true
    return new Promise(() => {})
  }
  const sending = send(plain.url)
  sending.catch(() => {})
  await until('the server has the recipient', () => isAsked)
  limit.abort()
  await expect(sending).rejects.toMatchObject({ message: 'EABORT', kind: 'other' })
  expect(timeOut).toHaveBeenCalledWith(45_000)
})

test('what is wrong is said in codes, without the password', async () => {
  plain.accept = () => new Error(`No: ${mailPassword}`)
  await expect(send(plain.url)).rejects.toMatchObject({ message: 'EENVELOPE 550', kind: 'message' })
  const wrong = plain.url.replace(mailPassword, 'wrong')
  await expect(tryOut(wrong)).rejects.toMatchObject({
    message: 'EAUTH 535',
    kind: 'sign_in',
  })
  const unusable = plain.url.replace('127.0.0.1', 'mail%20server')
  const failure = await send(unusable).catch((error: unknown) => error)
  expect(failure).toMatchObject({ message: 'ERR_INVALID_URL' })
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(mailPassword)
})
