import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { normalize } from '@sendroom/contract/search-text'
import { IconSearch } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'
import { bracketed } from '../i18n/punctuation.ts'
import { Dialog } from '../ui/dialog.tsx'
import classes from './pick-dialog.module.css'

const ROW_HEIGHT = 36
/** With a note under the name. */
const NOTED_HEIGHT = 52

export type Option = {
  id: number
  name: string
  /** Stands before the name, and `note` below it. */
  badge?: ReactNode
  note?: string
  /** Prevents choosing the option and says why. */
  disabledReason?: string | undefined
}

type Props = {
  title: string
  options: Option[]
  chosen: number[]
  onConfirm: (ids: number[]) => void
  onClose: () => void
}

/** Chooses any number of options by name. The choice takes effect when it is confirmed. */
export function PickDialog({ title, options, chosen, onConfirm, onClose }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [ids, setIds] = useState<ReadonlySet<number>>(() => new Set(chosen))
  // Options that were already chosen come first, because nobody would find them among hundreds.
  const [before] = useState(ids)
  const ordered = [
    ...options.filter(({ id }) => before.has(id)),
    ...options.filter(({ id }) => !before.has(id)),
  ]
  const wanted = normalize(search.trim())
  // Memoized: normalizing thousands of names on each keystroke would make typing lag on a phone.
  const names = useMemo(() => new Map(options.map(({ id, name }) => [id, normalize(name)])), [options])
  const shown = ordered.filter(({ id }) => names.get(id)?.includes(wanted))
  const choosable = shown.filter(({ disabledReason }) => disabledReason === undefined)
  const shownChosen = choosable.filter(({ id }) => ids.has(id)).length
  const areAllChosen = choosable.length > 0 && shownChosen === choosable.length

  const set = (changed: Option[], isChosen: boolean) => {
    const next = new Set(ids)
    for (const { id } of changed) isChosen ? next.add(id) : next.delete(id)
    setIds(next)
  }

  return (
    <Dialog onClose={onClose} title={title}>
      {/* The padding leaves room for the focus ring, which the dialog's title would cut off. */}
      <Stack gap="sm" pt={2}>
        <TextInput
          type="search"
          aria-label={t('COMMON.SEARCH')}
          placeholder={t('COMMON.SEARCH_PLACEHOLDER')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox
          label={t('COMMON.SELECT_ALL')}
          checked={areAllChosen}
          indeterminate={shownChosen > 0 && !areAllChosen}
          disabled={choosable.length === 0}
          onChange={() => set(choosable, !areAllChosen)}
        />
        {shown.length === 0 ? (
          <Text c="dimmed">{t('COMMON.NO_DATA_FOUND')}</Text>
        ) : (
          <OptionList key={wanted} options={shown} ids={ids} onToggle={set} />
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {t('FORM.CHOSEN', { number: formatNumber(ids.size) })}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('COMMON.CANCEL')}
            </Button>
            <Button onClick={() => onConfirm([...ids])}>{t('CONFIRM.CONFIRM')}</Button>
          </Group>
        </Group>
      </Stack>
    </Dialog>
  )
}

type ListProps = {
  options: Option[]
  ids: ReadonlySet<number>
  onToggle: (options: Option[], isChosen: boolean) => void
}

/** Renders only the visible rows, because an instance may be in thousands of groups. */
function OptionList({ options, ids, onToggle }: ListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: options.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => (options[index]?.note ? NOTED_HEIGHT : ROW_HEIGHT),
    overscan: 8,
  })
  return (
    <div ref={frame} className={classes.frame}>
      <ul className={classes.list} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const option = options[index]
          if (!option) return null
          const isChosen = ids.has(option.id)
          return (
            <li
              key={option.id}
              className={classes.row}
              style={{ height: size, transform: `translateY(${start}px)` }}
              aria-setsize={options.length}
              aria-posinset={index + 1}
            >
              <Checkbox
                label={
                  <>
                    {option.badge && <>{option.badge} </>}
                    <bdi>{option.name}</bdi>
                    {option.disabledReason && bracketed('', option.disabledReason)}
                  </>
                }
                description={option.note}
                title={option.name}
                checked={isChosen}
                // A chosen option can always be unchosen.
                disabled={option.disabledReason !== undefined && !isChosen}
                onChange={() => onToggle([option], !isChosen)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
