import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

type Props = {
  /** Translation key: what the list is limited to. */
  words: string
  /** The list's path. */
  all: '/instances' | '/jobs'
}

/** Says that the address limits the list, and links to the whole list. */
export function OnlySome({ words, all }: Props) {
  const { t } = useTranslation()
  return (
    <Group gap="xs" mb="md">
      <Text size="sm" fw={500}>
        {t(words)}
      </Text>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to={all} />}>
        {t('COMMON.CLEAR_SEARCH')}
      </Anchor>
    </Group>
  )
}
