import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { giveFocus } from './focus.ts'

type Props = Pick<ModalProps, 'title' | 'size' | 'children'> & { onClose: () => void }

/**
 * A modal that is there as long as it is rendered. It keeps the focus inside and gives it back at the end.
 * It weighs much: load what uses it lazily.
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
      // The second click of a double one falls beside it.
      closeOnClickOutside={false}
      // Else its head would be a second banner of the page.
      attributes={{ header: { role: 'none' } }}
      closeButtonProps={{ 'aria-label': t('COMMON.CLOSE') }}
      {...props}
    />
  )
}

/** Mantine's own returns the focus only when a modal closes, not when it goes. */
function useFocusReturn() {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      setTimeout(() => giveFocus(opener))
    },
    [opener],
  )
}
