import { Group } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { canHaveFocus, giveFocus } from '../ui/focus.ts'
import { PageTitle } from '../ui/page-title.tsx'
import { SearchBox } from './search-box.tsx'

type Props = {
  /** A translation key. */
  title: string
  list: { query: { search: string }; setSearch: (text: string) => void }
  /** Actions for the whole list, such as adding a row. */
  buttons?: ReactNode
  /** Actions for the selected rows. */
  bulk?: ReactNode
  children: ReactNode
}

/** The frame of a list page: title, buttons, search, and the table. */
export function ListPage({ title, list, buttons, bulk, children }: Props) {
  const { t } = useTranslation()
  useFocusRecovery()
  return (
    <>
      <Group justify="space-between" mb="md">
        <PageTitle>{t(title)}</PageTitle>
        <Group gap="xs">{buttons}</Group>
      </Group>
      <Group gap="xs" mb="md" justify="space-between">
        <SearchBox value={list.query.search} onSearch={list.setSearch} />
        {bulk}
      </Group>
      {children}
    </>
  )
}

/** Moves the focus when the focused button disappears with its deleted row, or is disabled without selected rows. */
function useFocusRecovery() {
  const focused = document.activeElement
  useEffect(() => {
    if (!focused || focused === document.body || canHaveFocus(focused)) return
    // A timeout, because a dialog that is just closing returns the focus itself.
    setTimeout(() => giveFocus())
  })
}
