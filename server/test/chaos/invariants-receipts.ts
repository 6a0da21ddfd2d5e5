import type { WireStatus } from '@sendroom/simulator'
import type { Evidence } from './evidence.ts'
import type { DeliveryRow, ReceiptEvidence } from './receipts.ts'

/**
 * Each delivery has the receipts that the provider reported, in whatever order they came, twice, late or never. What
 * the server confirmed must be there, unless the outcome was unknown: a receipt that matches no message is forgotten
 * after a quarter of an hour, and such a message may be found days later. What it received without confirming may be
 * there.
 */
export function receiptsAgree({ deliveries, reportedOf }: ReceiptEvidence) {
  return deliveries.flatMap((row) => {
    const reported = reportedOf(row)
    if (row.providerMessageId === null || !reported) return []
    const must = summarize(row, row.wasUnknown ? [] : reported.confirmed)
    const may = summarize(row, reported.all)
    const mistakes = {
      'is not delivered': must.isDelivered && !row.deliveredAt,
      'is not read': must.isRead && !row.readAt,
      'was never reported as delivered': row.deliveredAt && !may.isDelivered,
      'was never reported as read': row.readAt && !may.isRead,
      'has not failed': must.hasFailed && !may.isDelivered && row.status !== 'failed',
      'was never reported as failed': row.status === 'failed' && !may.hasFailed,
      'has failed and was delivered': row.status === 'failed' && must.isDelivered,
      'has a wrong count of members': isOutside(row.deliveredMembers, must.delivered, may.delivered),
      'has a wrong count of readers': isOutside(row.readMembers, must.read, may.read),
    }
    return Object.entries(mistakes)
      .filter(([, isMade]) => isMade)
      .map(([mistake]) => `Delivery ${row.id} ${mistake}: ${JSON.stringify({ row, reported })}`)
  })
}

const isOutside = (count: number, from: Set<string>, to: Set<string>) => count < from.size || count > to.size

function summarize({ chatId }: DeliveryRow, statuses: WireStatus[]) {
  const withStatus = (...names: WireStatus['status'][]) =>
    statuses.filter(({ status }) => names.includes(status))
  const viewersOf = (some: WireStatus[]) =>
    new Set(chatId.endsWith('@g.us') ? some.flatMap(({ viewer_id }) => viewer_id ?? []) : [])
  const [delivered, read] = [withStatus('delivered', 'read'), withStatus('read')]
  return {
    isDelivered: delivered.length > 0,
    isRead: read.length > 0,
    hasFailed: withStatus('failed').some(({ viewer_id }) => !viewer_id),
    delivered: viewersOf(delivered),
    read: viewersOf(read),
  }
}

/** The log has an entry for a receipt only if it went back (see instruments.ts). */
export const receiptsNeverGoBack = ({ log }: Evidence) =>
  log
    .filter(({ kind }) => kind === 'receipt')
    .map(({ deliveryId, was, became }) => `A receipt of delivery ${deliveryId} went back: ${was} → ${became}`)
