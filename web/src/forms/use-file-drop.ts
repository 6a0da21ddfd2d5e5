import { useEffect, useEffectEvent, useState } from 'react'

/**
 * Calls `take` with a file that is dropped anywhere on the page or pasted. Returns true while a file is dragged over
 * the page. By default the browser opens a dropped file in place of the page, which would lose the form.
 */
export function useFileDrop(take: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false)
  const onFile = useEffectEvent(take)
  useEffect(() => {
    const listening = new AbortController()
    const on = <K extends keyof DocumentEventMap>(name: K, listen: (event: DocumentEventMap[K]) => void) =>
      document.addEventListener(name, listen, { signal: listening.signal })
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setOver(true)
    })
    on('dragleave', (event) => {
      // Leaving one element for another fires this event too, but then with a related target.
      if (!event.relatedTarget) setOver(false)
    })
    on('drop', (event) => {
      setOver(false)
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      const [file] = event.dataTransfer.files
      if (file) onFile(file)
    })
    on('paste', ({ clipboardData }) => {
      // Office programs copy text together with a picture of it. The user means the text.
      if (!clipboardData || clipboardData.types.includes('text/plain')) return
      const [file] = clipboardData.files
      if (file) onFile(file)
    })
    return () => listening.abort()
  }, [])
  return isOver
}
