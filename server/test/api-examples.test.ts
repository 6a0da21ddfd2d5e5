import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '../src/platform/database/sql.ts'
import { useContext } from './context.ts'

// Runs the examples that the page of API keys shows.

const context = useContext()
const run = promisify(execFile)
const FOLDER = join(import.meta.dirname, '../../web/src/features/api-keys/examples')

const examples = [
  { program: 'bash', file: 'send.sh' },
  { program: process.execPath, file: 'send.ts' },
  { program: 'python3', file: 'send.py' },
  { program: 'php', file: 'send.php' },
]

const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined

/** Passes calls on to the server, and loses the first answer to a new job. Returns the URL. */
async function loseAnswer(port: number): Promise<string> {
  let isLost = false
  const proxy = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { method = '', url = '', headers } = request
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? 'text/plain',
      },
      ...(body.length > 0 && { body }),
    })
    const text = await answer.text()
    const losesThis = method === 'POST' && answer.ok && !isLost
    isLost ||= losesThis
    response.writeHead(losesThis ? 502 : answer.status, { 'content-type': 'application/json' })
    response.end(losesThis ? '' : text)
  })
  proxy.listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` // listening on TCP
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

// R-2021
test.for(examples)(
  '$file sends once, though the first answer is lost',
  async ({ program, file }, { skip }) => {
    skip(isMissing(program), `${program} is not installed`)
    const { member, instanceId } = await context.add.memberWithInstance()
    const key = await context.add.apiKey(member, { rights: ['canWriteMessages', 'canCreateJobs'] })
    const env = {
      PATH: process.env.PATH,
      SENDROOM_URL: await loseAnswer(await context.listen()),
      SENDROOM_KEY: key.token,
      SENDROOM_TO: '+84901234567',
    }

    const { stdout } = await run(program, [join(FOLDER, file)], { env })

    const jobs = await context.db.many<{ id: number }>(sql`
    select id, instance_id, text_content, recipient_count, created_by_user_id from jobs`)
    expect(jobs).toMatchObject([
      { instanceId, textContent: 'Your order is ready.', recipientCount: 1, createdByUserId: member.id },
    ])
    expect(JSON.parse(stdout)).toMatchObject({ id: jobs[0]?.id })
  },
)

// R-2021
test.for(examples)('$file ends with the reason when it is refused', async ({ program, file }, { skip }) => {
  skip(isMissing(program), `${program} is not installed`)
  const { member } = await context.add.memberWithInstance()
  const key = await context.add.apiKey(member, { rights: [] })
  const env = {
    PATH: process.env.PATH,
    SENDROOM_URL: `http://127.0.0.1:${await context.listen()}`,
    SENDROOM_KEY: key.token,
    SENDROOM_TO: '+84901234567',
  }
  const failed = await run(program, [join(FOLDER, file)], { env }).catch((error: unknown) => error)
  const { code, stdout, stderr } = failed as { code: number; stdout: string; stderr: string } // of execFile
  expect(code).toBeGreaterThan(0)
  expect(stdout + stderr).toContain('forbidden')
  expect(await context.db.run(sql`select from jobs`)).toBe(0)
})
