import { createHmac, randomBytes } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { Config } from '../../config.ts'
import { mayConnectTo } from '../../platform/outgoing-hosts.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { lookupAny, lookupPublic, requirePublic } from './own-network.ts'
import type { DueEvent, DueReceiver, Outcome } from './queue.queries.ts'
import { withAddress } from './receivers.queries.ts'

const TIME_OUT_MS = 10_000
/** The answer is not needed. A short one is read, so that the connection can be used again. */
const MAX_ANSWER_BYTES = 16 * 1024

/** OUTGOING_HOSTS does not name the receiver's host. */
class HostNotAllowed extends Error {
  readonly code = 'HOST_NOT_ALLOWED'
}

const SECRET_PREFIX = 'whsec_'

export const newSecret = () => `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`

/** Signs as Standard Webhooks 1.0 (https://www.standardwebhooks.com) says, for which there are libraries. */
export function signedHeaders(secret: string, { eventId, body }: DueEvent, at: Date): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': eventId, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}

/**
 * The connections to receivers. Those that may lead into the own network are kept apart, so that no other receiver gets
 * one.
 */
export function openPost(secrets: Secrets, config: Pick<Config, 'outgoingHosts'>) {
  const free = { keepAlive: true, lookup: lookupAny }
  const guarded = { keepAlive: true, lookup: lookupPublic }
  const agents = {
    free: { 'http:': new http.Agent(free), 'https:': new https.Agent(free) },
    guarded: { 'http:': new http.Agent(guarded), 'https:': new https.Agent(guarded) },
  }

  /** Makes one attempt. Never throws, and follows no redirect: that would lead anywhere. */
  async function post(receiver: DueReceiver, event: DueEvent): Promise<Outcome> {
    const start = performance.now()
    const outcome = await request(receiver, event).then(
      (status) => ({ status, error: null }),
      (error) => ({ status: null, error: codeOf(error) }),
    )
    return { ...outcome, durationMs: Math.round(performance.now() - start) }
  }

  function request(receiver: DueReceiver, event: DueEvent): Promise<number> {
    return new Promise((resolve, reject) => {
      const url = new URL(withAddress(secrets, receiver).url)
      if (!mayConnectTo(url.hostname, config)) throw new HostNotAllowed()
      if (!receiver.allowsOwnNetwork) requirePublic(url)
      const isPlain = url.protocol === 'http:'
      const agent = agents[receiver.allowsOwnNetwork ? 'free' : 'guarded'][isPlain ? 'http:' : 'https:']
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(event.body),
        'user-agent': 'Sendroom',
        ...signedHeaders(secrets.decrypt(receiver.secretCipher), event, new Date()),
      }
      const signal = AbortSignal.timeout(TIME_OUT_MS)
      const sent = (isPlain ? http : https).request(url, { method: 'POST', agent, headers, signal })
      sent.on('error', reject)
      // The answer 101 is neither a response nor an error.
      sent.on('upgrade', ({ statusCode }, socket) => {
        resolve(statusCode ?? 0)
        socket.destroy()
      })
      // However a connection ends, that was an attempt. No-op after any of the others.
      sent.on('close', () => reject(new Error('The connection has closed')))
      sent.on('response', (response) => {
        resolve(response.statusCode ?? 0)
        discard(response)
      })
      sent.end(event.body)
    })
  }

  const close = () => {
    for (const kind of [agents.free, agents.guarded]) for (const agent of Object.values(kind)) agent.destroy()
  }
  return { post, close }
}

function discard(response: http.IncomingMessage) {
  let bytes = 0
  response.on('error', () => {})
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) response.destroy()
  })
}

/** Codes only: an error's own words could repeat the URL, which may hold a token. */
function codeOf(error: Error & { code?: unknown }): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'TIMEOUT'
  return typeof error.code === 'string' ? error.code : 'UNKNOWN'
}
