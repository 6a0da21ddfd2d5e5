import type { Send } from '../api/client.ts'

/** Sends a form like `fetch`, which does not tell how much is sent. `onProgress` gets a share from 0 to 1. */
export const sendWithProgress =
  (onProgress: (share: number) => void): Send =>
  (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value)
      })
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
      request.onload = () => {
        const { status, responseText } = request
        const type = request.getResponseHeader('content-type') ?? ''
        resolve(new Response(responseText, { status, headers: { 'content-type': type } }))
      }
      request.onerror = () => reject(new TypeError('No answer arrived.'))
      request.onabort = () => reject(new DOMException('The request was aborted.', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort())
      request.send(body instanceof FormData ? body : null)
    })
