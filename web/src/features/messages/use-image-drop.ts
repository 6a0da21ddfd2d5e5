import { useEffect, useEffectEvent, useState } from 'react'

/**
 * Takes a file that is dropped anywhere on the page or pasted. True while one is being dragged over it.
 * Without this a file dropped beside its field would replace the page, and what was typed with it.
 */
export function useImageDrop(take: (file: File) => void): boolean {
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
      // Between two elements of the page there is always a next one.
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
      // Office programs put a picture of the text beside the text: then the text is meant.
      if (!clipboardData || clipboardData.types.includes('text/plain')) return
      const [file] = clipboardData.files
      if (file) onFile(file)
    })
    return () => listening.abort()
  }, [])
  return isOver
}
