import type { TestMessage } from '@sendroom/contract/messages'
import { renderText } from '@sendroom/contract/personal-text'
import type { Caller } from '../../platform/access.ts'
import { canSeeContact } from '../../platform/contacts/lists.ts'
import type { Db } from '../../platform/database/connection.ts'
import { sql } from '../../platform/database/sql.ts'
import { longestText } from '../../platform/message-content.ts'
import { namesOf } from '../../platform/names-of.ts'
import {
  type ContactFacts,
  contactFacts,
  readTemplate,
  rendererOf,
  type Template,
} from '../../platform/personal-texts.ts'
import { InvalidInput, Refusal } from '../../platform/refusal.ts'
import { isOfJob } from './job-rows.queries.ts'

/** Deliveries whose texts are in memory at once. */
const BATCH = 2000

type Written = { textContent: string; hasVariables: boolean; content?: { kind: string } | null | undefined }

type Choices = {
  jobType: 'SendToGroups' | 'SendToUsers'
  fallbacks: Readonly<Record<string, string>>
  leaveOutIncomplete: boolean
  country: string
  /** The field of the form that has the message, for its mistakes. */
  formField: string
  /** Throws if nobody waits for the job any more. */
  throwIfAborted: () => void
}

type JobText = {
  textContent: string
  /** For a text with variables, as `planJob` takes it. */
  writeTexts?: (tx: Db, jobId: number) => Promise<number>
}

/** The text that a job copies from a message. Without variables it is the text that everybody gets. */
export async function textOfJob(tx: Db, message: Written, choices: Choices): Promise<JobText> {
  const { textContent, hasVariables } = message
  if (!hasVariables) return { textContent }
  const template = await readTemplate(tx, textContent, choices.formField)
  const [variable] = template.variables
  if (variable === undefined) return { textContent: renderText(template.parts, new Map()).text }
  if (choices.jobType === 'SendToGroups')
    throw new InvalidInput(
      { [choices.formField]: 'JOB.VARIABLES_IN_GROUPS' },
      { variable: `{{${variable}}}` },
    )
  const longest = longestText(message.content)
  return { textContent, writeTexts: (tx, jobId) => writeTexts(tx, jobId, template, { ...choices, longest }) }
}

/** The text that a test sends: with the values of the contact, if the caller sees one of that id. */
export async function textOfTest(
  tx: Db,
  caller: Caller,
  { textContent, content, contactId }: Pick<TestMessage, 'textContent' | 'content' | 'contactId'>,
  country: string,
): Promise<string> {
  const template = await readTemplate(tx, textContent, 'textContent')
  const contact = await tx.maybeOne<ContactFacts>(sql`
    select ${contactFacts(template)} from contacts c
    where c.id = ${contactId} and ${await canSeeContact(tx, caller)}`)
  const written = rendererOf(template, country)(contact ?? { name: null, values: null })
  if (written.missing.length > 0) throw valuesMissing(1, written.missing)
  const longest = longestText(content)
  if (written.text.length > longest) throw textsTooLong([contact?.name ?? ''], longest)
  return written.text
}

type Incomplete = { ids: number[]; variables: Set<string> }

/**
 * Writes the text of each of the job's deliveries. Deletes those that lack a value, if the order leaves them out, and
 * returns how many these are. Otherwise, and if a text gets too long, the job is refused.
 */
async function writeTexts(
  tx: Db,
  jobId: number,
  template: Template,
  choices: Choices & { longest: number },
): Promise<number> {
  const render = rendererOf(template, choices.country, choices.fallbacks)
  const incomplete: Incomplete = { ids: [], variables: new Set() }
  const tooLong: string[] = []
  let complete = 0
  for (let after = 0, more = true; more; ) {
    choices.throwIfAborted()
    const batch = await readFacts(tx, jobId, after, template)
    const texts = batch.flatMap((recipient) => {
      const { text, missing } = render(recipient)
      if (missing.length > 0) {
        incomplete.ids.push(recipient.id)
        for (const variable of missing) incomplete.variables.add(variable)
        return []
      }
      if (text.length > choices.longest) tooLong.push(recipient.name || recipient.recipientName)
      return [{ id: recipient.id, text }]
    })
    await insertTexts(tx, texts)
    complete += texts.length
    after = batch.at(-1)?.id ?? 0
    more = batch.length === BATCH
  }
  if (tooLong.length > 0) throw textsTooLong(tooLong, choices.longest)
  return leaveOut(tx, incomplete, choices.leaveOutIncomplete && complete > 0)
}

const textsTooLong = (names: string[], messageText: number) =>
  new Refusal('texts_too_long', { ...namesOf('names', names, names.length), messageText })

async function leaveOut(tx: Db, { ids, variables }: Incomplete, isWanted: boolean): Promise<number> {
  if (ids.length === 0) return 0
  if (!isWanted) throw valuesMissing(ids.length, [...variables])
  return tx.run(sql`delete from deliveries where id = any(${ids})`)
}

function valuesMissing(count: number, keys: string[]) {
  const variables = keys.map((key) => `{{${key}}}`).join(', ')
  return new Refusal('values_missing', { count, variables })
}

type RecipientFacts = ContactFacts & { id: number; recipientName: string }

const readFacts = (tx: Db, jobId: number, after: number, template: Template) =>
  tx.many<RecipientFacts>(sql`
    select d.id, d.recipient_name, ${contactFacts(template)}
    from deliveries d left join contacts c on c.id = d.contact_id
    where ${isOfJob('d', jobId, sql`${after}`)} order by d.job_id, d.id limit ${BATCH}`)

const insertTexts = (tx: Db, texts: { id: number; text: string }[]) =>
  tx.run(sql`
    insert into delivery_texts (delivery_id, text)
    select * from unnest(${texts.map(({ id }) => id)}::bigint[], ${texts.map(({ text }) => text)}::text[])`)
