import type { ServerResponse } from 'node:http'
import helmet from 'helmet'

/**
 * Returns a function that sets the security headers of an answer. They are computed once: helmet alone would compute
 * them for each request, and the provider's calls are many. `usesHttps`: browsers are known to use https.
 */
export function openSecurityHeaders(usesHttps: boolean): (answer: ServerResponse) => void {
  const headers = new Map<string, string>()
  const answer = {
    setHeader: (name: string, value: string) => void headers.set(name, value),
    removeHeader: (name: string) => void headers.delete(name),
  }
  // Helmet uses nothing else of a request or an answer.
  helmet(optionsOf(usesHttps))({} as never, answer as never, () => {})
  return (answer) => {
    for (const [name, value] of headers) answer.setHeader(name, value)
  }
}

const optionsOf = (usesHttps: boolean) => ({
  contentSecurityPolicy: {
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      fontSrc: ["'self'"],
      frameAncestors: ["'none'"],
      // The page adds a nonce for the style elements of its components: see web-app.ts.
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:', 'blob:'],
      upgradeInsecureRequests: null,
    },
  },
  xFrameOptions: { action: 'deny' as const },
  // Subdomains may belong to other applications.
  hsts: usesHttps ? { includeSubDomains: false } : false,
})
