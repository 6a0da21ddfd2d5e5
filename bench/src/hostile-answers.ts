export type Answer = { status: number; took: number }

/** The status of an answer, or 0 without one, and its time in ms. */
export async function timed(call: Promise<Response>): Promise<Answer> {
  const began = performance.now()
  const answer = await call.catch(() => null)
  await answer?.text()
  return { status: answer?.status ?? 0, took: performance.now() - began }
}

/** How often each status was answered. */
export function listed(answers: { status: number }[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}
