import { type Channel, type ChannelState, stateCodes } from '../state/channels.ts'

/** Returns the WhatsApp profile name of a channel's number. */
export function profileName(channel: Channel): string {
  return `Test ${channel.channelId}`
}

/**
 * Returns the health of a channel in a state, as `GET /health` and `channel.post` webhooks carry it. Times are
 * seconds.
 */
export function wireHealth(channel: Channel, state: ChannelState) {
  return {
    start_at: Math.floor(channel.startedAt / 1000),
    uptime: Math.floor((Date.now() - channel.startedAt) / 1000),
    version: 'simulator',
    core_version: '1.8.3',
    api_version: '1.8.7',
    device_id: 11,
    ip: '127.0.0.1',
    status: { code: stateCodes[state], text: state },
    ...(state === 'AUTH' ? { user: { id: channel.number, name: profileName(channel) } } : {}),
  }
}
