import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Channel } from '../state/channels.ts'
import type { State } from '../state/state.ts'
import { profileName } from '../wire/health.ts'
import { booleanOf, fieldsOf } from '../wire/parameters.ts'
import { Refusal } from '../wire/refusal.ts'

/** How long a QR or pairing code is valid. Whapi's value is unconfirmed. */
const codeMs = 45_000

/** Adds `/users/login` (QR and pairing codes), `/users/logout` and `/users/profile`. */
export function userRoutes(app: FastifyInstance, state: State): void {
  const { channels } = state

  app.get('/users/login', async ({ channel, query }) => {
    const code = qrCode(state, channel, query)
    if (!code) return { status: 'WAITING' }
    const { toDataURL } = await qrcode()
    return { status: 'OK', base64: await toDataURL(code.rowdata), expire: code.expire }
  })

  app.get('/users/login/image', async ({ channel, query }, reply) => {
    const code = qrCode(state, channel, query)
    if (!code) throw new Refusal(422, 'render QR failed')
    const { toBuffer } = await qrcode()
    return reply.type('image/png').send(await toBuffer(code.rowdata))
  })

  app.get('/users/login/rowdata', async ({ channel, query }) => {
    const code = qrCode(state, channel, query)
    return code ? { status: 'OK', ...code } : { status: 'WAITING' }
  })

  app.get<{ Params: { phone: string } }>('/users/login/:phone', async ({ channel, params }) => {
    if (!/^\d{7,15}$/.test(params.phone)) throw new Refusal(400, 'invalid phone number')
    requireUnlinked(state, channel)
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

/**
 * Returns the text of the current QR code and its remaining seconds. Undefined while the channel starts. Throws a 409
 * refusal if the channel is linked.
 */
function qrCode(state: State, channel: Channel, query: unknown) {
  requireUnlinked(state, channel)
  if (booleanOf(fieldsOf(query), 'wakeup') ?? true) state.channels.wake(channel)
  if (state.channels.state(channel) !== 'QR') return undefined
  state.channels.showCode(channel)
  const period = currentPeriod()
  return {
    rowdata: `2@${codeBytes(channel, period).toString('base64')}`,
    expire: Math.ceil(((period + 1) * codeMs - Date.now()) / 1000),
  }
}

function requireUnlinked({ channels }: State, channel: Channel) {
  const state = channels.state(channel)
  if (state === 'AUTH' || state === 'SYNC_ERROR') throw new Refusal(409, 'channel already authenticated')
}

/** Returns a pairing code of the form `K7QP-2MXD`: WhatsApp asks for eight characters on the phone. */
function pairingCode(channel: Channel): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'
  const code = [...codeBytes(channel, currentPeriod()).subarray(0, 8)].map((byte) => alphabet[byte % 32])
  return `${code.slice(0, 4).join('')}-${code.slice(4).join('')}`
}

/** Returns the number of the period of `codeMs` that we are in. */
const currentPeriod = () => Math.floor(Date.now() / codeMs)

function codeBytes(channel: Channel, period: number): Buffer {
  return createHash('sha256').update(`${channel.token} ${period}`).digest()
}

/** Loads the QR library at first use, because the import would slow every start. */
async function qrcode() {
  return (await import('qrcode')).default
}
