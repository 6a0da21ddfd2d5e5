import { existsSync } from 'node:fs'
import { rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { contract } from '@sendroom/contract'
import { describe, expect, test } from 'vitest'
import { userCommands } from '../../src/commands/user.ts'
import { urlsOf } from '../../src/listening.ts'
import { HttpClient } from '../http-client.ts'
import { Installation } from '../process.ts'
import { readyInstallation } from '../ready-installation.ts'

/** A start that fails prints these lines and nothing else. */
const refusal = (...lines: string[]) => ({
  code: 1,
  stdout: '',
  stderr: lines.map((line) => `${line}\n`).join(''),
})

const nobodyListens = 'postgres://sendroom@127.0.0.1:1/sendroom'

describe.concurrent('a start that fails says why in one sentence', { timeout: 180_000 }, () => {
  test('a taken port', async () => {
    await using home = await readyInstallation()
    const other = createServer().listen(0, '127.0.0.1')
    const address = await new Promise((resolve) => other.once('listening', () => resolve(other.address())))
    const { port } = address as { port: number } // a TCP server has a port
    const { code, stderr } = await home.run([], { PORT: String(port) })
    other.close()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Port ${port} is already in use. Stop the other program, or set PORT to another port.\n`,
    })
    expect(home.hasDatabaseLeft).toBe(false)
  })

  test('a data folder that is a file', async () => {
    await using home = await Installation.create()
    const DATA_DIR = join(home.dataDir, 'file')
    await writeFile(DATA_DIR, '')
    expect(await home.run([], { DATA_DIR })).toEqual(
      refusal(
        `The data folder ${DATA_DIR} cannot be created because a file is in its place. Set DATA_DIR to a folder.`,
      ),
    )
  })

  test('an unwritable data folder', async () => {
    await using home = await Installation.create()
    // Not even root may create a folder there.
    expect(await home.run([], { DATA_DIR: '/sys/sendroom' })).toEqual(
      refusal(
        'This user cannot write to the data folder /sys/sendroom. Grant write access, or set DATA_DIR to another folder.',
      ),
    )
  })

  test('several wrong variables: one line for each', async () => {
    await using home = await Installation.create()
    const env = {
      PORT: 'http',
      SECRET_KEY: 'short',
      ACCOUNT_WAIT: 'long',
      DATABASE_URL: 'mysql://root:hush@db',
    }
    expect(await home.run([], env)).toEqual(
      refusal(
        'PORT must be a whole number from 0 to 65535.',
        'DATABASE_URL must be a URL that begins with postgres:// or postgresql://.',
        'SECRET_KEY must have at least 32 characters.',
        'ACCOUNT_WAIT must be a duration like 30m, 24h or 7d.',
      ),
    )
  })

  test('a database that does not answer', async () => {
    await using home = await Installation.create({ DATABASE_URL: nobodyListens })
    expect(await home.run()).toEqual(
      refusal(
        'The database in DATABASE_URL cannot be reached at 127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1). Check the address, and that the server is running.',
      ),
    )
  })

  //
  test('a database on another host without TLS, of which it warns first', async () => {
    await using home = await Installation.create({ DATABASE_URL: 'postgres://sendroom@db.invalid/sendroom' })
    const { code, stderr } = await home.run()
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^Texts and numbers may travel to the database at db\.invalid without encryption\. .*\nThe database in DATABASE_URL .*\n$/,
    )
  })

  test.each([[['servr']], [['server', 'now']], [['user']], [['user', 'rename', 'lan']]])(
    'an unknown command: %s',
    async (args) => {
      await using home = await Installation.create()
      const { code, stdout, stderr } = await home.run(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      const named = args.slice(0, 2).join(' ')
      expect(stderr).toBe(`Unknown command: ${named}. npm start -- --help lists the commands.\n`)
      expect(existsSync(join(home.dataDir, 'postgres'))).toBe(false)
    },
  )

  test('a SECRET_KEY that did not encrypt the secrets, and a lost key file', async () => {
    await using home = await readyInstallation()
    await (await home.start()).end('SIGTERM')
    expect(await home.run([], { SECRET_KEY: 'another key, which is long enough' })).toEqual(
      refusal(
        'SECRET_KEY does not match this database. Use the key that the database was set up with. To replace that one, set SECRET_KEY_PREVIOUS to it as well.',
      ),
    )
    const keyFile = join(home.dataDir, 'secret.key')
    await rm(keyFile)
    expect(await home.run()).toEqual(
      refusal(
        `The encryption key is missing: SECRET_KEY is not set, and ${keyFile} does not exist. Set SECRET_KEY or restore the file.`,
      ),
    )
    expect(existsSync(keyFile)).toBe(false)
    expect(home.hasDatabaseLeft).toBe(false)
  })
})

describe.concurrent('the process', { timeout: 180_000 }, () => {
  test('prints its commands on --help and starts nothing', async () => {
    await using home = await Installation.create()
    const { code, stdout, stderr } = await home.run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const ofUsers = Object.values(userCommands).map(({ usage }) => usage)
    for (const command of ['server', 'worker', ...ofUsers, 'backup FILE', 'restore FILE'])
      expect(stdout).toContain(command)
    expect(existsSync(join(home.dataDir, 'postgres'))).toBe(false)
  })

  // R-158, R-2185
  test('prints the first Admin’s password once, then where it is, and keeps it only until the first sign-in', async () => {
    await using home = await Installation.create()
    const passwordFile = join(home.dataDir, 'first-admin.txt')
    const first = await home.start([], { LOG_LEVEL: 'info' })
    // No log lines are between the lines for the user, but for those that only a slow machine writes.
    expect(first.stderr.replace(/.*(upgrading the database|"Migration \S+ is running).*\n/g, '')).toBe('')
    expect(first.stdout).toContain(`Sign in as admin with the password ${home.password} (shown only once).`)
    expect((await stat(passwordFile)).mode & 0o777).toBe(0o600)
    await first.end('SIGTERM')

    const second = await home.start()
    await second.says(new RegExp(`No Admin has signed in yet. The password is in ${passwordFile}.`))
    expect(second.stdout).not.toContain(home.password)
    await home.signIn(second)
    expect(existsSync(passwordFile)).toBe(false)
    await second.end('SIGTERM')

    const third = await home.start()
    expect(third.stdout).toBe(`Sendroom is running at ${third.url}\n`)
  })

  test('on all addresses, prints each of them and warns that HTTP is not encrypted', async () => {
    await using home = await readyInstallation()
    const open = await home.start([], { HOST: '0.0.0.0' })
    await open.end('SIGTERM') // only then is all its output here
    const { port } = new URL(open.url)
    const printed = [...open.stdout.matchAll(/^Sendroom is running at (\S+)$/gm)].map(([, url]) => url)
    expect(printed).toEqual(urlsOf({ address: '0.0.0.0', port: Number(port), family: 'IPv4' }))
    expect(open.stderr).toMatch(/^Other machines reach Sendroom without encryption\..*\n$/)

    const behindProxy = await home.start([], { HOST: '0.0.0.0', PUBLIC_URL: 'https://send.example' })
    expect(behindProxy.url).toBe('https://send.example')
    expect(behindProxy.stderr).toBe('')
  })

  test('starts after a SIGKILL and takes over the running PostgreSQL', async () => {
    await using home = await readyInstallation()
    await (await home.start()).end('SIGKILL')
    expect(home.hasDatabaseLeft).toBe(true)
    const second = await home.start()
    await home.signIn(second)
    expect(await second.end('SIGTERM')).toBe(0)
    expect(home.hasDatabaseLeft).toBe(false)
  })

  test('refuses a data folder on which another one runs, which stops with its PostgreSQL', async () => {
    await using home = await readyInstallation()
    const first = await home.start()
    expect(await home.run()).toEqual(
      refusal(
        `Another Sendroom runs on the data folder ${home.dataDir}: stop that one, or set DATA_DIR to another folder.`,
      ),
    )
    await home.signIn(first)
    expect(await first.end('SIGTERM')).toBe(0)
    expect(home.hasDatabaseLeft).toBe(false)
    expect(first.stderr).toBe('')
  })

  test('shares its data folder with a server on another port', async () => {
    await using home = await readyInstallation()
    const first = await home.start()
    const second = await home.start(['server'])
    const admin = await home.signIn(first)
    expect(await first.end('SIGTERM')).toBe(0)
    // PostgreSQL still runs, and the second process knows the session of the first.
    admin.url = second.url
    await admin.ask(contract.users.list, {})
    expect(await second.end('SIGTERM')).toBe(0)
    expect(home.hasDatabaseLeft).toBe(false)
  })

  test('resets a password, whether the server runs or not', async () => {
    await using home = await readyInstallation()
    const reset = async () => {
      const { code, stdout } = await home.run(['user', 'reset-password', 'Admin'])
      expect(code).toBe(0)
      return /^The new password of Admin is (\S+)\n$/.exec(stdout)?.[1]
    }
    const first = await home.start()
    const oldSession = await home.signIn(first)
    const whileRunning = await reset()
    expect((await oldSession.call(contract.users.list, {})).status).toBe(401)
    await home.signIn(first, whileRunning)
    await first.end('SIGTERM')

    const whileStopped = await reset()
    expect(home.hasDatabaseLeft).toBe(false)
    expect(await home.run(['user', 'reset-password', 'nobody'])).toEqual(
      refusal('There is no user called nobody.'),
    )
    const second = await home.start()
    await home.signIn(second, whileStopped)
    const body = { username: 'admin', password: whileRunning ?? '' }
    const { status } = await new HttpClient(second.url).call(contract.session.login, { body })
    expect(status).toBe(401)
  })
})
