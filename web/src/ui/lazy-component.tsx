import { type ComponentType, lazy, Suspense } from 'react'

/** A component whose code is loaded on first render: `lazyComponent(async () => (await import('./x.tsx')).X)`. */
export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>) {
  const Loaded = lazy(async () => ({ default: await load() }))
  return (props: P) => (
    <Suspense fallback={<span hidden aria-busy="true" />}>
      <Loaded {...props} />
    </Suspense>
  )
}
