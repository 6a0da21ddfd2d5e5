/**
 * Preloaded into the server (`--import`). Switches the rate limits off, which would refuse most requests, and marks
 * each answer of a request that has reached its handler.
 */
import { changeLoadedSources } from '../source-changes.ts'

const REACHED = 'x-reached-handler'

changeLoadedSources([
  {
    file: 'server/src/app.ts',
    from: 'caller?.apiKey ? limits.apiKeyRequests : 1200',
    to: 'caller ? 1e9 : 1e9',
  },
  { file: 'server/src/platform/http.ts', from: '...(options.rateLimit && {', to: '...(false && {' },
  {
    file: 'server/src/features/session/attempts.ts',
    from: 'if (await countAttempt(tx, allowance)) continue',
    to: 'if ((await countAttempt(tx, allowance)) || true) continue',
  },
  {
    file: 'server/src/platform/http.ts',
    from: 'const isSearch = caller',
    to: `reply.header('${REACHED}', '1')\n      const isSearch = caller`,
  },
])
