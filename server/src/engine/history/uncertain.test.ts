import { expect, test } from 'vitest'
import { useEngineContext } from '../../../test/engine-context.ts'
import { sql } from '../../platform/database/sql.ts'
import type { StoredContent } from '../../platform/message-content.ts'
import { isEvidenceCertain } from '../shared/same-message.ts'
import { openHeartbeat } from './heartbeat.ts'
import { holdUncertainJobs } from './unclear.ts'

const context = useEngineContext()
const silent = { info() {}, warn() {}, error() {} }

const document: StoredContent = { kind: 'document', fileName: 'a.pdf' }
const poll: StoredContent = { kind: 'poll', options: ['Yes', 'No'], allowsSeveral: false }
const place: StoredContent = { kind: 'location', latitude: 1, longitude: 2, address: '' }

// R-1654
test.each<[string, StoredContent | null, string, string[]?]>([
  ['a caption', document, 'Only today'],
  ['the name of the file', document, 'a.pdf'],
  ['the name of the file and a line break', document, 'a.pdf\n'],
  ['the name of the file and a blank that does not break', document, '\u00a0a.pdf'],
  ['a text for each', document, '{{name}}', ['An', 'Lan']],
  ['a text for each, of which one is the name of the file', document, '{{name}}', ['An', 'a.pdf']],
  ['512 emojis', document, '🙂'.repeat(512)],
  ['513 emojis', document, '🙂'.repeat(513)],
  ['1,024 letters with accents', document, 'ế'.repeat(1024)],
  ['a question of 127 emojis and a letter', poll, `${'🙂'.repeat(127)}?`],
  ['a question of 128 emojis', poll, '🙂'.repeat(128)],
  ['a place', place, 'Here'],
  ['a text', null, 'x'.repeat(2000)],
])('in a new era the history is believed as a look-up is: %s', async (_name, content, text, texts) => {
  const { id: instanceId } = await context.add.instance()
  const file = content && 'fileName' in content ? await context.add.file('document') : null
  const job = await context.add.job({
    ...{
      instanceId,
      status: 'Running',
      textContent: text,
      fileId: file?.id ?? null,
      content: content && JSON.stringify(content),
    },
    recipients: (texts ?? [text]).map((_, n) => `849${n}@s.whatsapp.net`),
    ...(texts && { texts }),
  })
  await context.db.run(sql`update jobs set created_at = clock_now() - interval '1 hour'`)
  await openHeartbeat({ db: context.db, log: silent, beatSeenBefore: 0 }).beat()

  const held = await context.db.begin((tx) => holdUncertainJobs(tx, instanceId))

  const isCertain = (texts ?? [text]).every((text) =>
    isEvidenceCertain({ content, hasImage: false, text, chatId: '849@s.whatsapp.net' }),
  )
  expect(held).toEqual(isCertain ? [] : [job.id])
})
