import { addInstance, uniqueName, untilJob } from './fixture.ts'
import { expect, test } from './scenario.ts'
import { goTo, rowOf, toast } from './steps.ts'

/** The simulator's people with these numbers answer five seconds after a message. */
const STOPS = '84901255501'
const ASKS = '84901255502'
const WRITES_WITHOUT_ACCENTS = '84901255503'

// R-1150
test('a person of thirty stops the messages, two others may have meant it, and all is seen', async ({
  sendroom,
  admin,
  openAs,
}) => {
  const instance = await addInstance(admin, uniqueName('Opt-outs'))
  // The job waits after its first message, until that has been answered.
  await admin.call('PUT /instances/:id', {
    params: { id: instance.id },
    body: { ...unlimited, privatePauseSeconds: [600, 600] },
  })
  const others = Array.from({ length: 27 }, (_, n) => `849012000${String(n).padStart(2, '0')}`)
  const numbers = [STOPS, ASKS, WRITES_WITHOUT_ACCENTS, ...others]
  const name = uniqueName('Lan')
  const { id: contactId } = await admin.call('POST /contacts', {
    body: { name, phoneNumbers: [`+${STOPS}`] },
  })
  const send = (textContent: string) =>
    admin.call('POST /jobs', {
      body: {
        ...{ jobType: 'SendToUsers', instanceId: instance.id, message: { textContent } },
        phoneNumbers: numbers.join(','),
      },
    })
  const first = await send('Chào bạn!')
  const page = await openAs(admin, '/dashboard')
  let jobId = 0
  const optOutOf = (number: string) =>
    admin.call('POST /opt-outs/search', { body: { search: number } }).then(({ data }) => data[0]?.words)

  await test.step('the person who writes “Dừng” in the middle gets nothing more', async () => {
    await expect.poll(() => optOutOf(STOPS)).toBe('Dừng')
    expect((await admin.call('GET /jobs/:id', { params: { id: first.id } })).status).toBe('Running')
    await admin.call('PUT /instances/:id', {
      params: { id: instance.id },
      body: { privatePauseSeconds: [0, 0] },
    })
    await untilJob(admin, first.id, { status: 'Completed' })
    jobId = (await send('Tuần này giảm giá!')).id
    await untilJob(admin, jobId, { status: 'Completed' })
    const received = sendroom
      .accepted(instance.whapiToken)
      .filter(({ to, body }) => to.startsWith(STOPS) && body !== 'Dừng')
    expect(received.map(({ body }) => body)).toEqual(['Chào bạn!'])
  })

  await test.step('two messages wait for a decision', async () => {
    await page.reload()
    await expect(page.getByText('messages may mean an opt-out')).toBeVisible()
    await page.getByRole('link', { name: 'Decide' }).click()
    const messages = page.getByRole('list', { name: 'Possible opt-outs' })
    const asking = messages.getByRole('listitem').filter({ hasText: 'cho tôi dừng nhé' }).first()
    await expect(asking).toContainText('Contains a keyword')
    await expect(messages.getByRole('listitem').filter({ hasText: /dung/ }).first()).toContainText(
      'without accents',
    )
    await asking.getByRole('button', { name: 'Opt out' }).click()
    await expect(toast(page, 'Opted out.')).toBeVisible()
    await expect(messages.getByText('cho tôi dừng nhé')).toHaveCount(0)
    await messages.getByRole('button', { name: 'Nothing meant' }).first().click()
    await expect(toast(page, 'Message dismissed.')).toBeVisible()
    expect(await optOutOf(ASKS)).toBe('cho tôi dừng nhé')
  })

  await test.step('the list, the contact, the job and the audit log say so', async () => {
    await goTo(page, 'Opt-outs')
    await expect(rowOf(page, `+${ASKS}`)).toContainText('Decided by admin')
    await page.goto(`/contacts/${contactId}`)
    const optOuts = page.getByRole('region', { name: 'Opt-outs' })
    await expect(optOuts).toContainText('“Dừng”')
    await expect(optOuts).toContainText('Opted out')
    await expect(page.getByRole('region', { name: 'Messages from jobs' })).toContainText('has opted out')
    await page.goto(`/jobs/${jobId}?outcome=Skipped`)
    await expect(rowOf(page, name)).toContainText('has opted out')
    await page.goto('/settings/audit')
    await expect(page.getByRole('main')).toContainText('Opt-out recorded')
    await expect(page.getByRole('main')).toContainText(`+${STOPS}`)
  })
})

/** No limit but the pause. */
const unlimited = {
  ...{ dailyCap: { groups: 0, private: 0 }, privateSlowAfter: 0, privatePerQuarterHour: 0 },
  ...{ privateHoursPerDay: 0, privateDaysInARow: 0, personCap: 0, personRestDays: 0, newPeopleCap: 0 },
  warmUpStep: null,
}
