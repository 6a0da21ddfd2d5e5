import type { ChannelChange, FaultRule } from '@sendroom/simulator'
import type { Random } from './random.ts'

const MEDIA = 'image|video|document|audio|voice'
export const SENDS = `^/messages/(text|poll|location|${MEDIA})$`

export function planFault({ int, chance, pick }: Random, withStops: boolean): FaultRule {
  const times = int(1, 3)
  const send = { path: SENDS, times }
  const status = (code: number): FaultRule => ({ ...send, kind: 'status', status: code })
  return pick<() => FaultRule>([
    () => ({ ...status(429), retryAfter: int(1, 8) }),
    () => status(429),
    () => status(pick([500, 502, 503])),
    () => ({ ...status(pick([502, 503])), body: '<html>Bad gateway</html>' }),
    () => ({ ...send, kind: 'drop-before' }),
    () => ({ ...send, kind: 'accept-then-drop' }),
    () =>
      withStops
        ? { ...send, kind: 'slow', delayMs: int(20_100, 22_000) }
        : { ...send, kind: 'accept-then-late', delayMs: int(0, 2000) },
    () => ({ ...send, kind: 'slow', delayMs: int(500, 22_000) }),
    () => ({ ...send, kind: pick(['malformed', 'no-id', 'empty']) }),
    () => ({ ...send, kind: 'not-sent', times: chance(0.2) ? 12 : times }),
    // The provider has deleted the uploaded image.
    () => ({ path: `^/messages/(${MEDIA})$`, kind: 'status', status: 404, times }),
    () => ({ path: '^/media', kind: pick(['drop-before', 'malformed', 'accept-then-drop']), times }),
    () => ({ path: '^/media', kind: 'status', status: pick([429, 500, 413]), times }),
    () => ({ path: '^/messages/list', kind: 'status', status: pick([429, 500, 503]), times: int(1, 5) }),
    () => ({ path: '^/messages/list', kind: pick(['drop-before', 'malformed', 'empty']), times: int(1, 5) }),
    () => ({ path: '^/messages/list', kind: 'slow', delayMs: int(1000, 31_000), times }),
    () => ({ path: '^/(health|business)', kind: 'status', status: 503, times: int(1, 5) }),
    // Questions about receipts.
    () => ({
      path: '^/(limits|statuses|messages/[^/]{20,})',
      kind: 'status',
      status: pick([429, 503]),
      times,
    }),
  ])()
}

/** The instance cannot send until it is cured, or cannot send to people for this long. */
export type Trouble = { change: ChannelChange; cure: ChannelChange } | { restrictedForSeconds: number }

export const planTrouble = ({ int, pick }: Random) =>
  pick<Trouble>([
    { change: { state: 'QR' }, cure: { state: 'AUTH' } },
    { change: { unpaid: true }, cure: { unpaid: false } },
    { change: { removed: true }, cure: { removed: false } },
    { change: { state: 'SYNC_ERROR' }, cure: { state: 'AUTH' } },
    { restrictedForSeconds: int(20, 600) },
  ])
