import type { Import, ImportPreview } from '@sendroom/contract/imports'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../../test/render.tsx'
import { type Answers, pageOf, refuse } from '../../../test/server.ts'
import './import-page.tsx'
import './imports-page.tsx'

const checked: Import = {
  id: 5,
  source: 'file',
  fileName: 'Khách hàng.csv',
  instance: null,
  createdByUserName: 'minh',
  createdAt: '2026-11-25T03:00:00.000Z',
  status: 'checked',
  fault: null,
  reading: {
    kind: 'csv',
    encoding: 'windows-1258',
    separator: ';',
    sheet: null,
    hasHeader: true,
    columns: ['name', 'phone', null],
    country: 'VN',
  },
  progress: null,
  rows: 1000,
  added: 900,
  changed: 0,
  unchanged: 60,
  twice: 10,
  refused: 30,
  known: null,
  list: null,
  tags: [],
  consent: '',
  startedByUserName: '',
  startedAt: null,
  endedAt: null,
  undone: null,
  canBeUndone: false,
  hasProblems: true,
  version: 3,
}
const started = {
  known: 'fill' as const,
  consent: 'They agreed',
  startedByUserName: 'minh',
  tags: ['fair'],
  startedAt: '2026-11-25T03:05:00.000Z',
}
const done: Import = {
  ...{ ...checked, ...started, status: 'done', endedAt: '2026-11-25T03:06:00.000Z', canBeUndone: true },
  ...{ changed: 40, unchanged: 20 },
}
const preview: ImportPreview = {
  isGuess: true,
  sheets: [],
  header: ['Họ tên', 'SĐT', 'Khác'],
  rows: [
    { number: 2, cells: ['Huệ', '+84901234567', 'x'], problem: null },
    {
      number: 3,
      cells: ['Hiếu', '901234567'],
      problem: { code: 'phone_lost_zero', params: { likely: '+84901234567' } },
    },
  ],
}

/** Opens an import whose state the test can change, as the server's. */
function open(first: Import, more: Answers = {}) {
  const state = { now: first }
  const app = renderApp({
    path: '/imports/5',
    answers: {
      'GET /imports/:id': () => state.now,
      'GET /imports/:id/preview': () => preview,
      'GET /contact-fields': () => ({
        fields: [{ id: 1, key: 'city', name: 'City', type: 'text', choices: [], isUsed: false }],
      }),
      'GET /tags': () => ({ tags: [] }),
      'GET /lists': () => pageOf([]),
      ...more,
    },
  })
  return {
    ...app,
    state,
    bodyOf: (name: string) => app.requests.findLast((request) => request.name === name)?.body,
  }
}

// R-1011
test('a dropped file is uploaded and opened, and one that is too large is refused without a call', async () => {
  const { requests, router } = renderApp({
    path: '/imports',
    answers: {
      'GET /imports': () => pageOf([done]),
      'POST /imports': () => checked,
      'GET /imports/:id': () => checked,
    },
  })
  await screen.findByText('Khách hàng.csv')
  const drop = (file: File) => fireEvent.drop(document, { dataTransfer: { types: ['Files'], files: [file] } })
  const large = new File(['x'], 'large.csv')
  Object.defineProperty(large, 'size', { value: 21 << 20 })
  drop(large)
  await screen.findByText(/larger than 20 MB/)
  expect(requests.some(({ name }) => name === 'POST /imports')).toBe(false)

  drop(new File(['a;b'], 'Khách hàng.csv'))
  await waitFor(() => expect(router.state.location.pathname).toBe('/imports/5'))
  const { body } = requests.find(({ name }) => name === 'POST /imports') ?? {}
  expect(((body as FormData).get('file') as File).name).toBe('Khách hàng.csv')
})

// R-1011
test('the first rows show what is understood, and each part of it can be changed', async () => {
  const { person, bodyOf } = open(checked, { 'PUT /imports/:id': () => checked })
  const rows = await screen.findByRole('region', { name: 'First rows, as they are understood' })
  await within(rows).findByText('+84901234567')
  within(rows).getByText('The zero at the beginning is missing. Perhaps +84901234567?')
  screen.getByText(/The encoding is a guess/)

  const reading = { encoding: 'windows-1258', separator: ';', country: 'VN', version: 3 }
  await person.selectOptions(screen.getByLabelText('Meaning of column 3'), 'Phone number')
  await waitFor(() =>
    expect(bodyOf('PUT /imports/:id')).toEqual({
      ...reading,
      hasHeader: true,
      columns: ['name', null, 'phone'],
    }),
  )
  await waitFor(() => expect(screen.getByLabelText('Meaning of column 3')).toHaveProperty('disabled', false))
  await person.selectOptions(screen.getByLabelText('Meaning of column 3'), 'City')
  await waitFor(() =>
    expect(bodyOf('PUT /imports/:id')).toMatchObject({ columns: ['name', 'phone', { field: 'city' }] }),
  )
  await person.click(screen.getByLabelText('The first row names the columns'))
  await waitFor(() => expect(bodyOf('PUT /imports/:id')).toMatchObject({ hasHeader: false }))
  // With another encoding the columns are recognised anew.
  await person.selectOptions(screen.getByLabelText('Encoding'), 'gb18030')
  await waitFor(() => expect(bodyOf('PUT /imports/:id')).toEqual({ ...reading, encoding: 'gb18030' }))
})

// R-1011
test('an import begins with the consent, shows its progress, and ends with five counts', async () => {
  const { person, state, bodyOf } = open(checked, {
    'POST /imports/:id/start': () => {
      state.now = {
        ...checked,
        ...started,
        status: 'running',
        progress: { done: 300, total: 1000 },
        version: 4,
      }
      return state.now
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Import 960 contacts' }))
  await screen.findByText(/^Say in at most 1,000 characters/)
  expect(bodyOf('POST /imports/:id/start')).toBeUndefined()

  await person.type(screen.getByLabelText(/Why may you write/), 'They agreed')
  await person.type(screen.getByRole('combobox', { name: 'Tags for all of them' }), 'fair{Enter}')
  await person.click(screen.getByLabelText('Replace by what the file has'))
  await person.click(screen.getByRole('button', { name: 'Import 960 contacts' }))
  await screen.findByText('300 of 1,000 rows imported. You can leave this page.')
  expect(bodyOf('POST /imports/:id/start')).toEqual({
    ...{ known: 'overwrite', listId: null, tags: ['fair'], consent: 'They agreed', version: 3 },
  })

  state.now = done
  const result = await screen.findByRole('region', { name: 'Result' })
  await waitFor(() => within(result).getByText('Unchanged'))
  expect([...result.querySelectorAll('dl:first-of-type dd')].slice(0, 5).map((dd) => dd.textContent)).toEqual(
    [...['900', '40', '20', '10', '30']],
  )
  within(result).getByText('They agreed')
})

// R-1011
test('an import is undone after a question, and says what was kept', async () => {
  const { person, state } = open(done, {
    'POST /imports/:id/undo': () => {
      state.now = {
        ...{ ...done, status: 'undone', canBeUndone: false },
        undone: { removed: 930, kept: 9, gone: 1 },
      }
      return state.now
    },
  })
  await person.click(await screen.findByRole('button', { name: 'Undo import' }))
  const dialog = await screen.findByRole('dialog')
  within(dialog).getByText(/Delete the 900 contacts that this import added, and give the 40 changed ones/)
  await person.click(within(dialog).getByRole('button', { name: 'Undo import' }))
  const undone = await screen.findByRole('region', { name: 'Undone' })
  expect([...undone.querySelectorAll('dd')].map((dd) => dd.textContent)).toEqual(['930', '9', '1'])
  expect(screen.queryByRole('button', { name: 'Undo import' })).toBeNull()
})

// R-1011
test('a file that can’t be read says why and offers no import', async () => {
  open({ ...checked, fault: { code: 'file_too_many_columns', params: { row: 7 } } })
  await screen.findByText('Row 7 has more than 100 columns.')
  expect(screen.getByRole('button', { name: 'Import' })).toHaveProperty('disabled', true)
})

// R-1011
test('a tab with an older state keeps what was typed, and learns of it', async () => {
  const { person } = open(checked, { 'POST /imports/:id/start': () => refuse(409, 'stale_version') })
  const consent = await screen.findByLabelText(/Why may you write/)
  await person.type(consent, 'They agreed')
  await person.click(screen.getByRole('button', { name: 'Import 960 contacts' }))
  await screen.findByText('This import was changed in another tab. You see the present state.')
  expect(consent).toHaveProperty('value', 'They agreed')
})

// R-1011
test('who may not manage contacts has no page of imports', async () => {
  const { router } = renderApp({
    path: '/imports',
    user: { ...admin, role: 'Member' },
  })
  await waitFor(() => expect(router.state.location.pathname).toBe('/dashboard'))
})
