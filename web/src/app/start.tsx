import './styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { createAppRouter } from './router.tsx'

const place = document.getElementById('root')
if (!place) throw new Error('The page has no #root.')
const router = createAppRouter()
// Until the page can be drawn what index.html shows stays.
router.load().finally(() =>
  createRoot(place).render(
    <StrictMode>
      <App router={router} />
    </StrictMode>,
  ),
)
