import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { calm, stats } from '../../../test/dashboard.ts'
import { admin, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, serve } from '../../../test/server.ts'
import { askEarly } from '../../api/early.ts'
import { startSession } from '../../api/session.ts'

const answers: Answers = {
  'GET /groups/stats': () => stats,
  'GET /dashboard/now': () => calm,
  'GET /notices': () => ({ notices: [] }),
  'GET /dashboard/days': () => ({ days: [] }),
  'GET /possible-opt-outs': () => pageOf([]),
  'GET /jobs': () => pageOf([]),
  // The stream stays open: after one that ends, the app connects again and reads everything anew.
  'GET /events': () => new Response(new ReadableStream()),
}

// R-2200, R-2201
test('a dashboard whose data come before its code is drawn at once, and asks for the rest afterwards', async () => {
  const onIdle: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (run: () => void) => onIdle.push(run))
  const user = { ...admin, canManageContacts: true, canApproveJobs: true }
  startSession({ token: 'a-token', user })
  serve(answers)
  const urls = ['/api/notices', '/api/groups/stats', '/api/dashboard/now']
  const areRead = urls.map(() => Promise.withResolvers<void>())
  const json = vi.spyOn(Response.prototype, 'json').mockImplementation(async function (this: Response) {
    setTimeout(() => areRead.pop()?.resolve())
    return JSON.parse(await this.text())
  })
  askEarly(urls)
  await Promise.all(areRead.map(({ promise }) => promise))
  json.mockRestore()

  const { requests } = renderApp({ path: '/dashboard', user, answers })
  await screen.findByRole('heading', { level: 1, name: 'Dashboard' })
  expect(screen.getByText('1,234')).toBeTruthy()
  await waitFor(() => expect(onIdle).toHaveLength(4))
  expect(requests).toEqual([])

  for (const run of onIdle) run()
  await waitFor(() =>
    expect(requests.map(({ name }) => name).sort()).toEqual([
      'GET /dashboard/days',
      'GET /events',
      'GET /jobs',
      'GET /possible-opt-outs',
    ]),
  )
})
