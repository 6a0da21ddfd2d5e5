// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source
import { features, platform, without } from './guard.ts'

const contents = { tests: 'server/src/features/messages/content' }
const filesOfOthers = { tests: 'server/src/features/messages/quota-of-files' }
const mentions = { tests: 'server/src/features/jobs/mentions' }
const engine = 'server/src/engine'

/** Guards of what is sent as which kind of message, and of who mentions everybody. */
export const contentGuards = [
  without(
    'a file is sent only as what phones play',
    `${platform}/message-content.ts`,
    "if (!file.kinds.includes(kind)) throw new InvalidInput({ content: 'MESSAGE.FILE_NOT_PLAYABLE' })",
    '',
    contents,
  ),
  without(
    'a file of a message is the caller’s own or in use where they see it',
    `${platform}/message-content.ts`,
    ' and ${mayUseFile(caller)}',
    '',
    contents,
  ),
  without(
    'a colleague’s file needs room in a new message',
    `${features}/messages/messages.service.ts`,
    'await requireRoomInMessage(tx, caller.id, { ...message, ...stored })',
    '',
    filesOfOthers,
  ),
  without(
    'a file needs room among those of the author',
    `${features}/messages/messages.service.ts`,
    'await requireRoomOfAuthor(tx, caller, id, replaced)',
    '',
    filesOfOthers,
  ),
  without(
    'a job that mentions everybody needs the right',
    `${features}/jobs/new-job.service.ts`,
    "if (mentionsAll) requireRight(caller, 'canMentionAll')",
    '',
    mentions,
  ),
  without(
    'changing a job that mentions everybody needs the right',
    `${features}/jobs/change-job.service.ts`,
    "requireRight(caller, 'canMentionAll')",
    '',
    mentions,
  ),
  without(
    'restarting a job that mentions everybody needs the right',
    `${features}/jobs/jobs.service.ts`,
    "if (action === 'restart' && job.mentionsAll) requireRight(caller, 'canMentionAll')",
    '',
    mentions,
  ),
  without(
    'an account mentions a group once a day',
    `${engine}/shared/mentions.ts`,
    'and (g.delivery_id, g.run) <> (d.id, j.run)',
    'and false',
    { tests: `${engine}/sending/mentions` },
  ),
  without(
    'what is not certain is not sent again',
    `${engine}/in-doubt/verdict.ts`,
    "if (!look.isEvidenceCertain) return { kind: 'outcome_unknown' }",
    '',
    { tests: `${engine}/sending/content` },
  ),
  without(
    'a new era waits for a person where nothing is certain',
    `${engine}/history/check.ts`,
    ', ...(await holdUncertainJobs(tx, instanceId))',
    '',
    { tests: `${engine}/sending/content` },
  ),
]
