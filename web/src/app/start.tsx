// The base styles that every page needs. Mantine's component styles come with the shell or with a dialog.
import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import './base.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createAppRouter } from './router.tsx'

const place = document.getElementById('root')
if (!place) throw new Error('The page has no #root.')
// The work is split into several tasks, so that a slow phone reacts to taps in between.
setTimeout(() => {
  const router = createAppRouter()
  // The mark in index.html stays until the page can be drawn.
  router.load().finally(() =>
    startTransition(() =>
      createRoot(place).render(
        <StrictMode>
          <App router={router} />
        </StrictMode>,
      ),
    ),
  )
})
