import type { StoredFile } from '@sendroom/contract/files'
import { vi } from 'vitest'

export const storedVideo: StoredFile = {
  name: `${'a'.repeat(32)}.mp4`,
  url: `/files/${'a'.repeat(32)}.mp4`,
  fileName: 'sale.mp4',
  mimeType: 'video/mp4',
  size: 3_500_000,
  seconds: 83,
  width: 640,
  height: 360,
  kinds: ['video', 'document'],
  whyNot: null,
}

/** An upload as the browser sends it. The test decides how far it gets. */
export class SentUpload {
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {}
  readonly headers: Record<string, string> = {}
  onload = () => {}
  onerror = () => {}
  onabort = () => {}
  status = 0
  responseText = ''
  url = ''
  file: FormDataEntryValue | null = null
  isAborted = false

  open(method: string, url: string) {
    this.url = `${method} ${url}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader = () => 'application/json'
  send(body: FormData) {
    this.file = body.get('file')
  }
  abort() {
    this.isAborted = true
    this.onabort()
  }

  progress(share: number) {
    this.upload.onprogress?.({ loaded: share * 1000, total: 1000 })
  }
  answer(status: number, body: object) {
    Object.assign(this, { status, responseText: JSON.stringify(body) })
    this.onload()
  }
}

/** Replaces the browser's uploads. Returns the list of those that were begun. */
export function catchUploads(): SentUpload[] {
  const uploads: SentUpload[] = []
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends SentUpload {
      constructor() {
        super()
        uploads.push(this)
      }
    },
  )
  return uploads
}
