import type { OptionsFilter } from '@mantine/core'

/**
 * A text as a search compares it: without case and accents, wide and ornamental letters as ordinary ones. The lists are
 * searched in the same way by the database: `plain` in server/migrations/0016-plain-searches.sql.
 */
export const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')

/** For drop-downs, which know no groups of options here. */
export const findOptions: OptionsFilter = ({ options, search, limit }) => {
  const wanted = plain(search.trim())
  return options.filter((option) => 'label' in option && plain(option.label).includes(wanted)).slice(0, limit)
}
