import { expect, test } from 'vitest'
import { readyInstallation } from '../ready-installation.ts'
import { rotateUnderKills } from '../rotation.ts'

// R-2051, R-2052, R-2131
test('a killed rotate-key leaves every token readable, and every message is sent once, but none to the forgotten', async () => {
  await using home = await readyInstallation()
  const rotation = await rotateUnderKills(home, {
    ...{ accounts: 300, recipients: 3, pauseMs: 1000 },
    ...{ kills: 3, withinMs: 90_000 },
  })
  expect(rotation.atKills.some((count) => count > 0 && count < 300)).toBe(true)
  expect(rotation).toMatchObject({ unreadable: 0, expected: 600, sent: 600, twice: 0, toForgotten: 0 })
}, 180_000)
