/**
 * Mutants: engines with a deliberate bug each. The suite must detect every one of them, or its silence proves nothing.
 * The files stay as they are. Only a process that applies a mutant loads changed sources.
 */
import { type Change, changeLoadedSources } from '../source-changes.ts'

const mutants = {
  'intent written after the send': [
    {
      file: 'sending/batch.ts',
      from: 'writeIntents(tx, requests, locking)]),',
      to: `writeIntents(tx, requests, locking)]).then(async (answers) => {
      const steps = answers[1].map((row) => stepOf(row, intendedAt))
      const sends = steps.filter(({ kind }) => kind === 'send')
      await Promise.all(sends.map((step) => exchanges.find(({ intent }) => intent === step.intent).sendEarly(step)))
      return answers
    }),`,
    },
    {
      file: 'sending/batch.ts',
      from: 'db.beginPipelined(SETTINGS, (tx) =>',
      to: 'db.begin((tx) =>',
    },
    {
      file: 'sending/sender.ts',
      from: 'submit(sender, { claim, result, intent, lastBeatSeen: sender.lastBeatSeen() })',
      to: `submit(sender, {
        ...{ claim, result, intent, lastBeatSeen: sender.lastBeatSeen() },
        sendEarly: async (message) => early.set(message.intent, await send(sender, claim, message, cachedProviderResolver(sender)(message))),
      })`,
    },
    {
      file: 'sending/sender.ts',
      from: 'async function attempt(',
      to: 'const early = new Map()\nasync function attempt(',
    },
    {
      file: 'sending/sender.ts',
      from: 'await send(sender, claim, message, connection)\n',
      to: 'early.get(message.intent)\n',
    },
  ],
  'claim token not checked': [
    {
      file: 'sending/intent.ts',
      from: 'on i.id = request.instance_id and i.claim = request.claim',
      to: 'on i.id = request.instance_id',
    },
    {
      file: 'sending/claim.ts',
      from: 'coalesce(i.claim = mine.claim, false) as is_held',
      to: 'true as is_held',
    },
  ],
  'look-up believed at once': [
    { file: 'in-doubt/verdict.ts', from: 'BELIEVE_AFTER_MS = 30_000', to: 'BELIEVE_AFTER_MS = 0' },
    { file: 'in-doubt/verdict.ts', from: 'LOOKS_APART_MS = 5_000', to: 'LOOKS_APART_MS = 0' },
  ],
  'cancel without the lock': [
    {
      file: 'jobs/lifecycle.ts',
      from: "await lockInstancesOfJobs(tx, [jobId])\n  if (!(await moveJob(tx, jobId, 'cancel')))",
      to: "if (!(await moveJob(tx, jobId, 'cancel')))",
    },
  ],
  'opt-out tested before the lock': [
    {
      file: 'sending/intent.ts',
      from: "d.status = 'queued' and on_turn.put_off_until is null\n      returning",
      to: `d.status = 'queued' and on_turn.put_off_until is null
        and not is_opted_out(on_turn.chat_id, on_turn.instance_id)
      returning`,
    },
  ],
  'look-up of the text with variables': [
    {
      file: 'in-doubt/look-up.ts',
      from: ' as text, ',
      to: ' as own_text, j.text_content as text, ',
    },
  ],
  'history of the text with variables': [
    { file: 'history/jobs-of-messages.ts', from: 'job.isPersonal', to: 'false' },
  ],
  'no new era after a failover': [
    // Null, whatever was found.
    { file: 'history/heartbeat.ts', from: 'end as reason', to: 'end || null as reason' },
  ],
  'nothing read after a failover': [
    { file: 'shared/incoming.ts', from: 'i.incoming_era = current_era() and ', to: '' },
    { file: 'shared/incoming.ts', from: 'i.incoming_era is distinct from current_era() or ', to: '' },
  ],
  'ended jobs not matched': [
    {
      file: 'history/jobs-of-messages.ts',
      from: "or (j.status = 'Cancelled' or j.failed_count > 0) and j.has_deliveries and j.final_counts is null",
      to: '',
    },
  ],
  'no watch at the start': [
    { file: 'history/heartbeat.ts', from: "beatSeenBefore === undefined ? null : 'over'", to: "'over'" },
  ],
  'messages of no recipient dropped': [
    {
      file: 'history/unclear.ts',
      from: 'if (jobIds.length === 0) return []',
      to: 'if (jobIds.length >= 0) return []',
    },
  ],
  // Idempotency keys would keep a second job from being made for as long as the first one is there.
  'run marked after its job': [
    {
      file: 'features/series/make-due.ts',
      from: 'requestId: requestIdOf(series.id, run.localTime),',
      to: 'requestId: crypto.randomUUID(),',
    },
    {
      file: 'features/series/make-due.ts',
      from: '      await approveJobOfRun(tx, series.id, run.id, idOf(job))\n      await markMade(tx, series, run.id, idOf(job))\n      return job\n    })\n  await createJob(begin, orderOf(series, run))',
      to: '      return job\n    })\n  const job = await createJob(begin, orderOf(series, run))\n  await db.begin((tx) => markMade(tx, series, run.id, idOf(job)))',
    },
  ],
  'run chosen before its locks': [
    {
      file: 'features/series/make-due.ts',
      from: 'if (!isSame || make?.id !== run.id || make.dueAt !== run.dueAt) throw new SomebodyWasFaster()',
      to: '',
    },
  ],
  'no check for a lost run': [
    {
      file: 'history/check.ts',
      from: '::timestamptz <= (select history_complete_at from heartbeat)',
      to: '::timestamptz is null',
    },
  ],
  'every pause exempts from the check': [
    { file: 'history/heartbeat.ts', from: 'and i.checked_era = (select era from last)', to: '' },
  ],
} satisfies Record<string, Change[]>

export type Mutant = keyof typeof mutants

const isMutant = (name: string): name is Mutant => Object.hasOwn(mutants, name)

export function mutantNamed(name: string): Mutant {
  if (!isMutant(name))
    throw new Error(`There is no mutant '${name}', only: ${Object.keys(mutants).join(', ')}`)
  return name
}

const folderOf = ({ file }: Change) => (file.startsWith('features/') ? '' : 'engine/')

let requireApplied: (() => void) | undefined

/** Call this before the engine is imported. */
export function applyMutant(mutant: Mutant) {
  const changes: Change[] = mutants[mutant]
  requireApplied = changeLoadedSources(
    changes.map((change) => ({ ...change, file: `src/${folderOf(change)}${change.file}` })),
  )
}

/** Call this after the import. Otherwise an unchanged engine could be mistaken for an undetected mutant. */
export function expectMutantApplied(mutant: Mutant) {
  if (!requireApplied) throw new Error(`'${mutant}' was not applied.`)
  requireApplied()
}
