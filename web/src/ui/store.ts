import { useSyncExternalStore } from 'react'

type Store<T> = { get: () => T; subscribe: (listener: () => void) => () => void }

/** Holds a value outside of React. `set` notifies the listeners only if the value changes. */
export function createStore<T>(initial: T): Store<T> & { set: (next: T) => void } {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** The current value. The component renders again when it changes. */
export const useStore = <T>({ subscribe, get }: Store<T>) => useSyncExternalStore(subscribe, get)
