import type { User } from '@sendroom/contract/users'
import { createMemoryHistory } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { endSession, startSession } from '../src/api/session.ts'
// Preloaded, because on a busy machine loading the shell can exceed a test's timeout.
import '../src/app/shell.tsx'
import { App } from '../src/app/app.tsx'
import { createAppRouter } from '../src/app/router.tsx'
import { type Answers, serve, texts } from './server.ts'

export const admin: User = {
  id: 1,
  username: 'minh',
  email: 'minh@example.com',
  role: 'Admin',
  isActive: true,
  isWaiting: false,
  canSendMessages: true,
  canCreateJobs: true,
  canLinkAccounts: true,
  canExportParticipants: true,
  canUseContacts: false,
  canManageContacts: false,
  canApproveJobs: false,
  canMentionAll: false,
  createdAt: '2026-01-02T03:04:05.000Z',
  hasFactor: false,
  needsFactor: false,
  version: 1,
  assignedInstances: [],
}
export const member: User = { ...admin, id: 2, username: 'lan', email: 'lan@example.com', role: 'Member' }

type Options = {
  path: string
  user?: User | null
  answers?: Answers
  language?: string | null
  /** In place of `user`: what the browser has stored under `user` when the tab starts, as after a reload. */
  stored?: object
  /** The answer in place of the texts of a language. */
  answerTexts?: typeof texts
}

/** Renders the whole app at an address, with real router, guards and texts, and a scripted server. */
export function renderApp(options: Options) {
  const { path, user = admin, answers = {}, language = 'en', stored, answerTexts = texts } = options
  const requests = serve(answers, answerTexts)
  if (language !== null) localStorage.setItem('lang', language)
  if (stored) storeSession(stored)
  else if (user) startSession({ token: 'a-token', user })
  const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }))
  render(<App router={router} env="test" />)
  return { requests, router, person: userEvent.setup({ delay: null }) }
}

/** Leaves the tab without a user in its memory, and this in the storage. */
function storeSession(user: object) {
  endSession()
  localStorage.setItem('token', 'a-token')
  localStorage.setItem('user', JSON.stringify(user))
}
