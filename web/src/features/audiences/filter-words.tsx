import { Badge, Group } from '@mantine/core'
import type { ContactList } from '@sendroom/contract/lists'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../format.ts'
import { useContactFields } from '../../forms/use-contact-fields.ts'
import { labelled } from '../../i18n/punctuation.ts'

/** The filter of a list in words. */
export function FilterWords({ list: { filter, tags } }: { list: ContactList }) {
  const { t } = useTranslation()
  const { data: fields = [] } = useContactFields()
  if (!filter) return null
  const valueText = (value: string | number | boolean, type: string | undefined) =>
    type === 'yesNo'
      ? t(String(value) === 'true' ? 'COMMON.YES' : 'COMMON.NO')
      : typeof value === 'number'
        ? formatNumber(value)
        : String(value)
  const parts = [
    ...(filter.search ? [t('LIST.FILTER_SEARCH', { search: filter.search })] : []),
    ...tags.map(({ name }) => t('LIST.FILTER_TAG', { name })),
    ...filter.fields.map(({ key, value }) => {
      const field = fields.find((known) => known.key === key)
      return labelled(field?.name ?? key, valueText(value, field?.type))
    }),
  ]
  return (
    <Group gap={6} role="list" aria-label={t('LIST.FILTER')}>
      {(parts.length > 0 ? parts : [t('LIST.FILTER_NONE')]).map((part) => (
        <Badge key={part} role="listitem" variant="light" color="gray" tt="none" maw="100%">
          <bdi>{part}</bdi>
        </Badge>
      ))}
    </Group>
  )
}
