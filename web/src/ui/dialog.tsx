import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { giveFocus } from './focus.ts'
import { createStore, useStore } from './store.ts'

type Props = Pick<ModalProps, 'title' | 'size' | 'children'> & { onClose: () => void }

/**
 * A modal that is open while it is rendered. Traps the focus and returns it to the opener at the end. Load its users
 * lazily, because Mantine's Modal is large.
 */
export function Dialog(props: Props) {
  const { t } = useTranslation()
  const isOnTop = useIsOnTop()
  useFocusReturn()
  return (
    <Modal
      opened
      centered
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      // The second click of a double-click lands outside of the dialog.
      closeOnClickOutside={false}
      closeOnEscape={isOnTop}
      // Screen readers would take the modal's header for a second page banner.
      attributes={{ header: { role: 'none' } }}
      closeButtonProps={{ 'aria-label': t('COMMON.CLOSE') }}
      {...props}
    />
  )
}

const openDialogs = createStore<readonly string[]>([])

/** Whether no dialog has opened above this one. Escape would otherwise close all of them. */
function useIsOnTop(): boolean {
  const id = useId()
  useEffect(() => {
    openDialogs.set([...openDialogs.get(), id])
    return () => openDialogs.set(openDialogs.get().filter((other) => other !== id))
  }, [id])
  return useStore(openDialogs).at(-1) === id
}

/** Mantine returns the focus only when `opened` becomes false, not when the modal is unmounted. */
function useFocusReturn() {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      setTimeout(() => giveFocus(opener))
    },
    [opener],
  )
}
