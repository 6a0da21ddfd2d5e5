import { Button, Group, TextInput } from '@mantine/core'
import { limits } from '@sendroom/contract/limits'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './search-box.module.css'

/** Searches on Enter or on a click on its button. */
export function SearchBox({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [searched, setSearched] = useState(value)
  // The address changed, for example by the back button. Remounting the box instead would lose the focus.
  if (value !== searched) {
    setSearched(value)
    setText(value)
  }
  return (
    <form
      className={classes.search}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text.trim())
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          type="search"
          aria-label={t('COMMON.SEARCH')}
          placeholder={t('COMMON.SEARCH_PLACEHOLDER')}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={limits.search}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          flex={1}
        />
        <Button type="submit" variant="default">
          {t('COMMON.SEARCH')}
        </Button>
      </Group>
    </form>
  )
}
