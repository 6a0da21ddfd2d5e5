import { type ComponentType, lazy, Suspense } from 'react'

/** A component that is loaded when it is first shown: `lazily(async () => (await import('./x.tsx')).X)`. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>) {
  const Loaded = lazy(async () => ({ default: await load() }))
  return (props: P) => (
    <Suspense fallback={<span hidden aria-busy="true" />}>
      <Loaded {...props} />
    </Suspense>
  )
}
