import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { useContext } from '../../test/context.ts'
import { until } from '../../test/until.ts'

const context = useContext()

const MEGABYTE = 1024 * 1024

//
test('whoever asks for many answers and reads none is cut off, and others get theirs', async () => {
  const app = await context.app
  const port = await context.listen()
  const name = await context.images.put(randomBytes(4 * MEGABYTE), 'png')
  const before = process.memoryUsage().arrayBuffers
  // A client that does not read does not notice the end.
  const countConnections = promisify(app.server.getConnections.bind(app.server))

  const attacker = connect(port, '127.0.0.1').pause()
  onTestFinished(() => void attacker.destroy())
  await until('the attacker is connected', async () => (await countConnections()) === 1)
  attacker.write(`GET /images/${name} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(100))

  await until('the attacker is cut off', async () => (await countConnections()) === 0)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(150 * MEGABYTE)
  const image = await fetch(`http://127.0.0.1:${port}/images/${name}`)
  expect((await image.arrayBuffer()).byteLength).toBe(4 * MEGABYTE)
})
