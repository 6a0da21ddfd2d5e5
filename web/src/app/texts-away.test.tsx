import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { admin, renderApp } from '../../test/render.tsx'
import { pageOf, refuse, texts } from '../../test/server.ts'

/* In a file that shares no modules: texts that another test has loaded would be there. */

test.each(['app', 'sign-in'])(
  // R-2175
  'a tab that starts at the %s while the texts can’t be had goes on by itself',
  async (place) => {
    let isAway = true
    const { requests } = renderApp({
      path: '/users',
      user: place === 'app' ? admin : null,
      language: place === 'app' ? 'cn' : 'vi',
      answers: {
        'GET /users': () => pageOf([admin]),
        ['GET /health' as never]: () => (isAway ? refuse(503, 'unavailable') : { status: 'ok' }),
      },
      answerTexts: (path) => (isAway ? Response.json({}, { status: 503 }) : texts(path)),
    })
    await waitFor(() => expect(requests).toMatchObject([{ name: 'GET /health' }]))
    expect(document.querySelector('h1, a, button, input')).toBeNull()
    isAway = false
    const words = place === 'app' ? '用户' : 'Chào mừng đến với Sendroom'
    expect(await screen.findByRole('heading', { level: 1, name: words })).toBeTruthy()
  },
)
