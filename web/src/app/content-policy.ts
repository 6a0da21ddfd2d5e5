/** Settings that libraries need to work under the page's content security policy. `main.ts` imports this file first. */

/**
 * The nonce that the server has put into the page and its policy. The browser applies style elements only with this
 * nonce.
 */
export const styleNonce = () =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

Object.assign(globalThis, {
  // react-remove-scroll, which dialogs use, knows only webpack's name for the nonce.
  __webpack_nonce__: styleNonce(),
  // zod would try whether it may compile code. The policy forbids that, and each attempt counts as a violation.
  __zod_globalConfig: { jitless: true },
})
