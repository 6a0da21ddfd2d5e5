/** A message in the history that no delivery is matched with. */
export type UnknownMessage = {
  id: string
  chatId: string
  /** When it was sent, in ms since 1970, by the database's clock. */
  sentAt: number
  /** The jobs that it may belong to: it has their content, and they had begun. */
  jobIds: number[]
}

/** A delivery whose message may be in the history. */
export type OpenDelivery = {
  id: number
  jobId: number
  chatId: string
  status: 'queued' | 'sending' | 'doubt'
}

export type Found = { deliveryId: number; providerMessageId: string; sentAt: number }

/**
 * Decides which queued deliveries the messages belong to, the oldest message first. A pure function.
 *
 * A message that may be the one being sent, or the one in doubt, is left to the look-up. So two messages of one text in one
 * chat count as two: one for the delivery in doubt, one for a queued one.
 */
export function matchMessages(
  messages: readonly UnknownMessage[],
  deliveries: readonly OpenDelivery[],
): Found[] {
  const open = Map.groupBy(
    deliveries.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id),
    ({ chatId }) => chatId,
  )
  const found: Found[] = []
  for (const { id, chatId, sentAt, jobIds } of messages.toSorted((a, b) => a.sentAt - b.sentAt)) {
    const inChat = open.get(chatId) ?? []
    const index = inChat.findIndex(({ jobId }) => jobIds.includes(jobId))
    const [delivery] = index < 0 ? [] : inChat.splice(index, 1)
    if (delivery?.status === 'queued') found.push({ deliveryId: delivery.id, providerMessageId: id, sentAt })
  }
  return found
}

const rank = ({ status }: OpenDelivery) => (status === 'queued' ? 1 : 0)
