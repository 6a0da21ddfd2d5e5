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
  /** What can be done with the whole list, such as adding. */
  buttons?: ReactNode
  /** What can be done with the selected rows. */
  bulk?: ReactNode
  children: ReactNode
}

/** The frame of a list page: title, buttons, search, and the table. */
export function ListPage({ title, list, buttons, bulk, children }: Props) {
  const { t } = useTranslation()
  useFocusKept()
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

/** The button that deleted a row goes with it, and that of the selected rows is disabled without any. */
function useFocusKept() {
  const focused = document.activeElement
  useEffect(() => {
    if (!focused || focused === document.body || canHaveFocus(focused)) return
    // After a dialog that is just closing: it gives the focus back itself.
    setTimeout(() => giveFocus())
  })
}
