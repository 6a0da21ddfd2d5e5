/** A message in the history that no delivery is matched with. */
export type UnknownMessage = {
  id: string
  chatId: string
  /** When it was sent, in ms since 1970, by the database's clock. */
  sentAt: number
  /** The jobs that it may belong to: it has their content, and they were due. */
  jobIds: number[]
}

export type ListedMessage = Pick<UnknownMessage, 'id' | 'chatId' | 'sentAt'>

/** The messages of an instance by their content, then by their id. A provider may list a message twice. */
export type History = Map<string, Map<string, ListedMessage>>

/** A delivery whose message may be in the history. */
export type UnsentDelivery = {
  id: number
  jobId: number
  chatId: string
  status: 'queued' | 'sending' | 'doubt' | 'failed' | 'skipped'
  /** When the job ended, in ms since 1970; null while it is unfinished. */
  endedAt: number | null
  /** Whether it had an intent. One that failed without was still queued when its job ended. */
  wasTried: boolean
}

export type Found = { deliveryId: number; providerMessageId: string; sentAt: number }

/**
 * Decides which deliveries the messages belong to, the oldest message first. A pure function.
 *
 * A message that may be the one being sent, or the one in doubt, is left to the look-up. So two messages of one text in
 * one chat count as two: one for the delivery in doubt, one for a queued one.
 */
export function matchMessages(
  messages: readonly UnknownMessage[],
  deliveries: readonly UnsentDelivery[],
): Found[] {
  const unsent = Map.groupBy(
    deliveries.toSorted((a, b) => a.id - b.id),
    ({ chatId }) => chatId,
  )
  const found: Found[] = []
  for (const { id, chatId, sentAt, jobIds } of messages.toSorted((a, b) => a.sentAt - b.sentAt)) {
    const inChat = unsent.get(chatId) ?? []
    const [delivery] = inChat
      .filter(({ jobId }) => jobIds.includes(jobId))
      .sort((a, b) => rank(a, sentAt) - rank(b, sentAt))
    if (!delivery) continue
    inChat.splice(inChat.indexOf(delivery), 1)
    if (rank(delivery, sentAt) > 0) found.push({ deliveryId: delivery.id, providerMessageId: id, sentAt })
  }
  return found
}

/** The likelier delivery has the lower rank. */
function rank({ status, endedAt, wasTried }: UnsentDelivery, sentAt: number): number {
  if (status === 'sending' || status === 'doubt') return 0
  // A delivery that was skipped, or failed untried, when the job ended was queued before that.
  const wasQueued = endedAt !== null && endedAt >= sentAt && !(status === 'failed' && wasTried)
  if (status === 'queued' || wasQueued) return 1
  // Only a retry that the database has lost explains the message.
  return 2
}
