import type { WireStatus } from '../../../simulator/src/acks.ts'
import type { DeliveryRow, Heard, Told } from './receipts.ts'

/** What stands of each message is what was told of it, whatever came first, twice, late or never. */
export function receiptsAgree({ deliveries, told }: Heard) {
  return deliveries.flatMap((row) => {
    const of = told(row)
    if (row.providerMessageId === null || !of) return []
    const surely = reckon(row, of.surely)
    const atMost = reckon(row, of.atMost)
    const isWrong = {
      'is not delivered': surely.isDelivered && !row.deliveredAt,
      'is not read': surely.isRead && !row.readAt,
      'was never told to be delivered': row.deliveredAt && !atMost.isDelivered,
      'was never told to be read': row.readAt && !atMost.isRead,
      'has not failed': surely.hasFailed && !atMost.isDelivered && row.status !== 'failed',
      'was never told to have failed': row.status === 'failed' && !atMost.hasFailed,
      'has failed and was delivered': row.status === 'failed' && surely.isDelivered,
      'counts its members wrong': isOutside(row.deliveredMembers, surely.delivered, atMost.delivered),
      'counts its readers wrong': isOutside(row.readMembers, surely.read, atMost.read),
    }
    return Object.entries(isWrong)
      .filter(([, isSo]) => isSo)
      .map(([what]) => `Delivery ${row.id} ${what}: ${JSON.stringify({ row, told: of })}`)
  })
}

const isOutside = (count: number, from: Set<string>, to: Set<string>) => count < from.size || count > to.size

function reckon({ chatId }: DeliveryRow, statuses: Told['surely']) {
  const of = (...names: WireStatus['status'][]) => statuses.filter(({ status }) => names.includes(status))
  const viewers = (some: WireStatus[]) =>
    new Set(chatId.endsWith('@g.us') ? some.flatMap(({ viewer_id }) => viewer_id ?? []) : [])
  const [delivered, read] = [of('delivered', 'read'), of('read')]
  return {
    isDelivered: delivered.length > 0,
    isRead: read.length > 0,
    hasFailed: of('failed').some(({ viewer_id }) => !viewer_id),
    delivered: viewers(delivered),
    read: viewers(read),
  }
}
