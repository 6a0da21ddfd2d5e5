import { expect, test } from 'vitest'
import { png, useSimulator } from '../../test/client.ts'

const simulator = useSimulator()

test('media belongs to its channel and can be read and removed', async () => {
  const [token, other] = [simulator.linked(), simulator.linked()]
  const data = { media: `data:image/png;base64,${png.toString('base64')}` }
  const { id } = (await simulator.call(token, 'POST /media', data)).body.media[0]
  const read = await fetch(`${simulator.url}/media/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(Buffer.from(await read.arrayBuffer())).toEqual(png)
  expect((await simulator.call(other, 'POST /messages/image', { to: '84901234567', media: id })).status).toBe(
    404,
  )
  expect((await simulator.call(token, `DELETE /media/${id}`)).body).toEqual({ success: true })
  expect((await simulator.call(token, `GET /media/${id}`)).status).toBe(404)
  expect((await simulator.call(token, 'POST /media', { media: '' })).status).toBe(400)
})
