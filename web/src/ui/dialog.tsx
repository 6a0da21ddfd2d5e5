import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { giveFocus } from './focus.ts'

type Props = Pick<ModalProps, 'title' | 'size' | 'children'> & { onClose: () => void }

/**
 * A modal that is open while it is rendered. Traps the focus and returns it to the opener at the end. Load its users
 * lazily, because Mantine's Modal is large.
 */
export function Dialog(props: Props) {
  const { t } = useTranslation()
  useFocusReturn()
  return (
    <Modal
      opened
      centered
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      // The second click of a double-click lands outside of the dialog.
      closeOnClickOutside={false}
      // Screen readers would take the modal's header for a second page banner.
      attributes={{ header: { role: 'none' } }}
      closeButtonProps={{ 'aria-label': t('COMMON.CLOSE') }}
      {...props}
    />
  )
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
