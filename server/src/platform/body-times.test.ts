import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { useSharedContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'
import { sql } from './database/sql.ts'

const context = useSharedContext()
afterEach(() => void vi.useRealTimers())

const file = (name: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\nphone\r\n`
const rest = '0901234567\r\n--x--\r\n'

/** Sends the beginning of a form. */
function begin(port: number, token: string, path: string, field: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const request = {
    rest: () => socket.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`),
    answer: '',
  }
  socket.on('data', (text) => (request.answer += text))
  const part = file(field)
  socket.write(
    `POST /api${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked
Content-Type: multipart/form-data; boundary=x\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`.replace(
      /(?<!\r)\n/g,
      '\r\n',
    ),
  )
  return request
}

// R-1007
test('the file of an import may arrive for four minutes, and any other body for half a minute', async () => {
  const [admin, other] = [await context.add.admin(), await context.add.admin()]
  const port = await context.listen()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const upload = (token: string) => begin(port, token, '/imports', 'file')
  const [slow, endless] = [upload(admin.token), upload(other.token)]
  await until(
    'both uploads are being stored',
    async () => (await context.db.run(sql`select from imports where status = 'uploading'`)) === 2,
  )
  const begun = once((await context.app).server, 'request')
  const image = begin(port, (await context.add.admin()).token, '/messages/with-file', 'imageFile')
  await begun

  vi.advanceTimersByTime(31_000)
  await until('the image is refused', () => image.answer)
  expect(image.answer).toMatch(/^HTTP\/1\.1 408/)
  vi.advanceTimersByTime(160_000)
  expect([slow.answer, endless.answer]).toEqual(['', ''])
  slow.rest()
  await until('the upload is through', () => slow.answer)
  expect(slow.answer).toMatch(/^HTTP\/1\.1 201/)
  vi.advanceTimersByTime(60_000)
  await until('the other upload is refused', () => endless.answer)
  expect(endless.answer).toMatch(/^HTTP\/1\.1 408/)
})
