import './app/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { currentUser } from './api/session.ts'
import { App } from './app/app.tsx'
import { createAppRouter } from './app/router.tsx'

const place = document.getElementById('root')
if (!place) throw new Error('The page has no #root.')
const router = createAppRouter()
// For those who are signed in the code of their page comes beside its texts, not after them.
if (currentUser() !== null)
  for (const route of router.getMatchedRoutes(window.location.pathname)[0]) router.loadRouteChunk(route)
createRoot(place).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
)
