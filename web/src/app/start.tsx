import './styles.ts'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createAppRouter } from './router.tsx'

const place = document.getElementById('root')
if (!place) throw new Error('The page has no #root.')
// In parts, so that a slow phone answers to a finger between them.
setTimeout(() => {
  const router = createAppRouter()
  // Until the page can be drawn what index.html shows stays.
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
