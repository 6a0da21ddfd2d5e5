import { type Evidence, formatChanges } from './evidence.ts'

export const optOutInvariants: ((evidence: Evidence) => string[])[] = [
  nobodyIsIgnored,
  nobodyElseIsSkipped,
  noOptOutIsLost,
]

/** No intent begins for somebody whose opt-out the statement could see: see OPT_OUT_INSTRUMENTS. */
function nobodyIsIgnored({ log }: Evidence) {
  return log
    .filter(({ kind }) => kind === 'ignored opt-out')
    .map((entry) => `An intent for somebody who has opted out: ${formatChanges([entry])}`)
}

/** Nobody else is skipped for it. */
function nobodyElseIsSkipped({ log }: Evidence) {
  return log
    .filter(({ became, reason }) => became === 'skipped' && reason === 'opted_out')
    .filter(
      ({ id, chatId }) =>
        !log.some((entry) => entry.kind === 'opt-out' && entry.chatId === chatId && entry.id < id),
    )
    .map((entry) => `Skipped without an opt-out: ${formatChanges([entry])}`)
}

/** The server has stored what it confirmed, and a later reading of the messages has found whatever calls were lost. */
function noOptOutIsLost({ stops }: Evidence) {
  return stops
    .filter(({ isStored, isConfirmed, isRead }) => !isStored && (isConfirmed || isRead))
    .map((stop) => `An opt-out was lost: ${JSON.stringify(stop)}`)
}
