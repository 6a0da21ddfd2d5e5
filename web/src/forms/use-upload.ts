import type { StoredFile } from '@sendroom/contract/files'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { sendWithProgress } from './send-with-progress.ts'

/** An upload that is under way, or has failed. */
export type Uploading = {
  file: File
  /** How much is sent, from 0 to 1. */
  share: number
  error?: unknown
}

export type Upload = {
  /** Null before an upload, and after a successful one. */
  current: Uploading | null
  start: (file: File) => void
  /** Ends the upload, or forgets that it has failed. */
  cancel: () => void
}

/** Uploads one file at a time. Failures are shown in place, without a toast. Leaving the page ends the upload. */
export function useUpload(onDone: (file: StoredFile) => void): Upload {
  const [current, setCurrent] = useState<Uploading | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (file: File) => {
    running.current?.abort()
    running.current = new AbortController()
    const { signal } = running.current
    const show = (state: Omit<Uploading, 'file'>) => {
      if (!signal.aborted) setCurrent({ file, ...state })
    }
    show({ share: 0 })
    try {
      const send = sendWithProgress((share) => show({ share }))
      const stored = await call('POST /files', { body: formOf(file) }, signal, send)
      if (signal.aborted) return
      setCurrent(null)
      onDone(stored)
    } catch (error) {
      show({ share: 0, error })
    }
  }
  const cancel = () => {
    running.current?.abort()
    setCurrent(null)
  }
  return { current, start, cancel }
}

function formOf(file: File) {
  const form = new FormData()
  form.set('file', file)
  return form
}
