/**
 * Engines broken on purpose: the suite has to find each of them out, or it proves nothing. The shipped files stay as
 * they are; a process that loads them gets a changed text.
 */
import { registerHooks } from 'node:module'

/** In which file of the engine which text (found there exactly once) becomes which. */
type Change = { file: string; from: string; to: string }

const breakages = {
  'intent written after the send': [
    {
      file: 'batch.ts',
      from: 'writeIntents(tx, wishes, locking)]),',
      to: `writeIntents(tx, wishes, locking)]).then(async (answers) => {
      const steps = answers[1].map((row) => stepOf(row, intendedAt))
      const sends = steps.filter(({ kind }) => kind === 'send')
      await Promise.all(sends.map((step) => turns.find(({ intent }) => intent === step.intent).sendEarly(step)))
      return answers
    }),`,
    },
    {
      file: 'batch.ts',
      from: 'db.beginPipelined(PLAN_BY_INDEX, (tx) =>',
      to: 'db.begin((tx) =>',
    },
    {
      file: 'sender.ts',
      from: 'hand(sender, { claim, result, intent: goesOn ? randomUUID() : null })',
      to: `hand(sender, {
        ...{ claim, result, intent: goesOn ? randomUUID() : null },
        sendEarly: async (work) => early.set(work.intent, await send(sender, claim, work, openReach(sender)(work))),
      })`,
    },
    {
      file: 'sender.ts',
      from: 'async function attempt(',
      to: 'const early = new Map()\nasync function attempt(',
    },
    { file: 'sender.ts', from: 'await send(sender, claim, work, way)\n', to: 'early.get(work.intent)\n' },
  ],
  'claim token not checked': [
    {
      file: 'intent.ts',
      from: 'on i.id = wish.instance_id and i.claim = wish.claim',
      to: 'on i.id = wish.instance_id',
    },
    {
      file: 'claim.ts',
      from: 'coalesce(i.claim = mine.claim, false) as is_held',
      to: 'true as is_held',
    },
  ],
  'look-up believed at once': [
    { file: 'verdict.ts', from: 'BELIEVE_AFTER_MS = 30_000', to: 'BELIEVE_AFTER_MS = 0' },
    { file: 'verdict.ts', from: 'LOOKS_APART_MS = 5_000', to: 'LOOKS_APART_MS = 0' },
  ],
  'cancel without the lock': [
    {
      file: 'life.ts',
      from: "await lockAccountOfJobs(tx, [jobId])\n    if (!(await moveJob(tx, jobId, 'cancel')))",
      to: "if (!(await moveJob(tx, jobId, 'cancel')))",
    },
  ],
} satisfies Record<string, Change[]>

export type Breakage = keyof typeof breakages

const made = new Set<Change>()

/** Call it before the engine is imported. */
export function breakEngine(breakage: Breakage) {
  const changes: Change[] = breakages[breakage]
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const mine = changes.filter(({ file }) => url.endsWith(`/src/engine/${file}`))
      if (mine.length === 0) return loaded
      let source = String(loaded.source)
      for (const change of mine) {
        if (source.split(change.from).length !== 2)
          throw new Error(`'${breakage}' no longer fits ${change.file}: write it anew.`)
        source = source.replace(change.from, () => change.to)
        made.add(change)
      }
      return { ...loaded, source }
    },
  })
}

/** Call it after: an engine that is whole would pass for a broken one that nobody noticed. */
export function expectBroken(breakage: Breakage) {
  if (!breakages[breakage].every((change) => made.has(change))) throw new Error(`'${breakage}' was not made.`)
}
