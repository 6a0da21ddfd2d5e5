import { parseText } from '@sendroom/contract/personal-text'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import type { JobContent } from '../shared/job-content.ts'
import { keyBeginning } from '../shared/same-message.ts'
import type { History, ListedMessage } from './match.ts'
import { messagesWith } from './messages-with.ts'

/** A job whose `text` has variables. */
type PersonalJob = JobContent & { id: number; text: string }

/** Texts in memory at once: four million characters at most. */
const TEXTS_PER_QUERY = 1000

/**
 * The messages that may belong to a job whose recipients have texts of their own: a recipient's text in the chat of
 * that recipient, or in the chat of no recipient (see unclear.ts). The text of somebody else in a recipient's chat is
 * none. The texts are read only if a message has the words between the variables.
 */
export async function messagesOfPersonalJob(
  tx: Db,
  job: PersonalJob,
  history: History,
): Promise<ListedMessage[]> {
  if (!mayHaveMessages(job, history)) return []
  const own = new Map<string, ListedMessage>()
  const elsewhere = new Map<string, ListedMessage>()
  for (let after = 0, more = true; more; ) {
    const texts = await readTexts(tx, job.id, after)
    for (const { text, chatId } of texts)
      for (const message of messagesWith(history, { ...job, text }))
        (message.chatId === chatId ? own : elsewhere).set(message.id, message)
    after = texts.at(-1)?.id ?? 0
    more = texts.length === TEXTS_PER_QUERY
  }
  return [...own.values(), ...(await inNoRecipientsChat(tx, job.id, [...elsewhere.values()]))]
}

/** A place is recognised by its coordinates alone. */
function mayHaveMessages({ text, ...job }: PersonalJob, history: History): boolean {
  const named = job.content?.kind === 'location' ? '' : text
  const words = parseText(named).parts.flatMap((part) => (typeof part === 'string' ? part.trim() : []))
  const beginning = keyBeginning(job)
  return [...history.keys()].some((content) => content.startsWith(beginning) && hasInOrder(content, words))
}

function hasInOrder(content: string, words: string[]): boolean {
  let from = 0
  return words.every((word) => {
    const at = content.indexOf(word, from)
    from = at + word.length
    return at !== -1
  })
}

const readTexts = (tx: Db, jobId: number, after: number) =>
  tx.many<{ id: number; chatId: string; text: string }>(sql`
    select d.id, d.chat_id, t.text from deliveries d join delivery_texts t on t.delivery_id = d.id
    where (d.job_id, d.id) > (${jobId}, ${after}) and d.job_id <= ${jobId}
    order by d.job_id, d.id limit ${TEXTS_PER_QUERY}`)

async function inNoRecipientsChat(
  tx: Db,
  jobId: number,
  messages: ListedMessage[],
): Promise<ListedMessage[]> {
  if (messages.length === 0) return []
  const chats = await tx.many<{ chatId: string }>(sql`
    select chat_id from deliveries
    where job_id = ${jobId} and chat_id = any(${messages.map(({ chatId }) => chatId)})`)
  const known = new Set(chats.map(({ chatId }) => chatId))
  return messages.filter(({ chatId }) => !known.has(chatId))
}
