import type { OptionsFilter } from '@mantine/core'

/**
 * Normalizes a text for searching: ignores case and accents, and maps full-width and ornamental letters to ordinary
 * ones. The database does the same for lists, with its function `unaccent_lower`.
 */
export const normalize = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('đ', 'd')

/** Filters the options of a drop-down by `normalize`. Grouped options are not supported. */
export const findOptions: OptionsFilter = ({ options, search, limit }) => {
  const wanted = normalize(search.trim())
  return options
    .filter((option) => 'label' in option && normalize(option.label).includes(wanted))
    .slice(0, limit)
}
