import { useEffect, useState } from 'react'

/** A URL at which the browser shows a chosen file. Revoked when it is no longer needed. */
export function useFileUrl(file: File | null) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(null)
    }
  }, [file])
  return url
}
