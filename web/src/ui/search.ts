import type { OptionsFilter } from '@mantine/core'
import { normalize } from '@sendroom/contract/search-text'

/** Filters the options of a drop-down by `normalize`. Grouped options are not supported. */
export const findOptions: OptionsFilter = ({ options, search, limit }) => {
  const wanted = normalize(search.trim())
  return options
    .filter((option) => 'label' in option && normalize(option.label).includes(wanted))
    .slice(0, limit)
}
