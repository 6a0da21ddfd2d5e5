import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { expect, test } from 'vitest'
import { HttpClient } from '../http-client.ts'
import { Installation, startSimulatorProcess } from '../process.ts'
import { until } from '../until.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

test('the commands, while Sendroom runs and while it does not', { timeout: 240_000 }, async () => {
  await using home = await Installation.create()
  await using simulator = await startSimulatorProcess(home.dataDir)
  const env = { WHAPI_BASE_URL: simulator.url }
  const run = (...args: string[]) => home.run(args, env)
  const json = async (...args: string[]) => {
    const { code, stdout } = await run(...args, '--json')
    return { code, value: JSON.parse(stdout) }
  }
  const doctor = async () => {
    const { code, value } = await json('doctor')
    const troubles = value.findings.filter(({ level }: { level: string }) => level !== 'ok')
    return { code, troubles: troubles.map((found: { code: string }) => found.code) }
  }

  expect(await doctor()).toEqual({ code: 1, troubles: ['database_away', 'public_missing'] })
  const server = await home.start([], env)
  const admin = await home.signIn(server)
  // The server answers before its worker has begun.
  const found = await until('the worker works', async () => {
    const found = await doctor()
    return found.code === 0 && found
  })
  expect(found.troubles).toEqual(['key_beside', 'backup_missing', 'password_generated', 'public_missing'])

  // A generated password is printed once, and never as JSON.
  const added = await run('user', 'add', 'lan', '--email', 'lan@example.com')
  const [, password = ''] =
    /^Member lan was added\.\nThe new password of lan is (\S+)\n$/.exec(added.stdout) ?? []
  const signIn = async (word: string) => {
    const body = { username: 'lan', password: word }
    return (await new HttpClient(server.url).call(contract.session.login, { body })).status
  }
  expect(await signIn(password)).toBe(200)
  expect(await run('user', 'add', 'lan', '--email', 'other@example.com')).toEqual(
    failure(1, 'This username is taken. Choose another.'),
  )
  expect(await run('user', 'reset-password', 'lan', '--json')).toEqual(
    failure(2, 'With --json, give the password with --password-stdin: JSON never has one.'),
  )
  const typed = spawnSync(
    process.execPath,
    [MAIN, 'user', 'reset-password', 'lan', '--password-stdin', '--json'],
    {
      cwd: home.dataDir,
      env: { ...process.env, ...env, DATA_DIR: home.dataDir },
      input: 'a word of my own\n',
      encoding: 'utf8',
    },
  )
  expect(typed.stdout).toBe('{"username":"lan"}\n')
  expect(await signIn('a word of my own')).toBe(200)

  const { data } = await admin.ask(contract.users.list, { query: { search: 'lan' } })
  const id = data[0]?.id ?? 0
  await admin.ask(contract.users.update, { params: { id }, body: { isActive: false } })
  expect((await json('user', 'list')).value).toEqual([
    expect.objectContaining({ username: 'admin', role: 'Admin', state: 'active' }),
    { username: 'lan', email: 'lan@example.com', role: 'Member', state: 'locked' },
  ])
  expect(await run('user', 'unlock', 'LAN')).toMatchObject({ code: 0, stdout: 'LAN can sign in again.\n' })
  expect(await signIn('a word of my own')).toBe(200)

  const file = join(home.dataDir, 'backup.tar.gz')
  const backup = await json('backup', file)
  expect(backup).toMatchObject({ code: 0, value: { file, withKey: false, missingImages: [] } })
  await server.end('SIGTERM')
  const { code, stdout } = await run('doctor')
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/^ERROR {4}Sendroom does not run\.\n +Start it with npm start\.$/m),
  ])
  expect(stdout).toMatch(/^ok {7}The last backup is 0 hours old\.$/m)

  await using other = await Installation.create(env)
  const restored = await other.run(['restore', file, '--json'])
  expect(JSON.parse(restored.stdout)).toMatchObject({ rows: backup.value.rows, hasKey: false })
})

test('every command explains itself, and what it does not know', async () => {
  await using home = await Installation.create()
  const commands = [
    'user add',
    'user list',
    'user reset-password',
    'user reset-factor',
    'user unlock',
    'backup',
    'restore',
    'doctor',
  ]
  await Promise.all(
    commands.map(async (command) =>
      expect(await home.run([...command.split(' '), '--help'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Usage: npm start -- ${command}`),
      }),
    ),
  )
  expect(await home.run(['doctor', '--fast'])).toEqual(
    failure(2, "Unknown option '--fast'. Usage: npm start -- doctor [--repair]"),
  )
  expect(await home.run(['user', 'unlock'])).toEqual(
    failure(2, 'Wrong arguments. Usage: npm start -- user unlock NAME'),
  )
})

const failure = (code: number, sentence: string) => ({ code, stdout: '', stderr: `${sentence}\n` })
