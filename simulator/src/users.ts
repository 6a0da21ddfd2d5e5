import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Channel, profileName } from './channels.ts'
import { booleanOf, fieldsOf } from './parameters.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** Every code is replaced after this long. */
const codeMs = 45_000

export function userRoutes(app: FastifyInstance, world: World): void {
  const { channels } = world

  app.get('/users/login', async ({ channel, query }) => {
    const code = qrCode(world, channel, query)
    if (!code) return { status: 'WAITING' }
    const { toDataURL } = await qrcode()
    return { status: 'OK', base64: await toDataURL(code.rowdata), expire: code.expire }
  })

  app.get('/users/login/image', async ({ channel, query }, reply) => {
    const code = qrCode(world, channel, query)
    if (!code) throw new Refusal(422, 'render QR failed')
    const { toBuffer } = await qrcode()
    return reply.type('image/png').send(await toBuffer(code.rowdata))
  })

  app.get('/users/login/rowdata', async ({ channel, query }) => {
    const code = qrCode(world, channel, query)
    return code ? { status: 'OK', ...code } : { status: 'WAITING' }
  })

  app.get<{ Params: { phone: string } }>('/users/login/:phone', async ({ channel, params }) => {
    if (!/^\d{7,15}$/.test(params.phone)) throw new Refusal(400, 'invalid phone number')
    requireUnlinked(world, channel)
    channels.wake(channel)
    channels.showCode(channel, params.phone)
    return { code: pairingCode(channel) }
  })

  app.post('/users/logout', async ({ channel }) => {
    channels.logout(channel)
    return { success: true }
  })

  app.get('/users/profile', async ({ channel }) => {
    channels.requireReader(channel)
    return { name: profileName(channel), about: '', icon: '', icon_full: '' }
  })
}

/** What is drawn as a QR, with the seconds it still holds; undefined while the channel is starting. */
function qrCode(world: World, channel: Channel, query: unknown) {
  requireUnlinked(world, channel)
  if (booleanOf(fieldsOf(query), 'wakeup') ?? true) world.channels.wake(channel)
  if (world.channels.state(channel) !== 'QR') return undefined
  world.channels.showCode(channel)
  const turn = Math.floor(Date.now() / codeMs)
  return {
    rowdata: `2@${secret(channel, turn).toString('base64')}`,
    expire: Math.ceil(((turn + 1) * codeMs - Date.now()) / 1000),
  }
}

function requireUnlinked({ channels }: World, channel: Channel) {
  const state = channels.state(channel)
  if (state === 'AUTH' || state === 'SYNC_ERROR') throw new Refusal(409, 'channel already authenticated')
}

/** Eight characters, e.g. `K7QP-2MXD`, as WhatsApp asks for them on the phone. */
function pairingCode(channel: Channel): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'
  const code = [...secret(channel, Math.floor(Date.now() / codeMs)).subarray(0, 8)].map(
    (byte) => alphabet[byte % 32],
  )
  return `${code.slice(0, 4).join('')}-${code.slice(4).join('')}`
}

function secret(channel: Channel, turn: number): Buffer {
  return createHash('sha256').update(`${channel.token} ${turn}`).digest()
}

/** Drawing a QR is rare, and the library would slow every start. */
async function qrcode() {
  return (await import('qrcode')).default
}
