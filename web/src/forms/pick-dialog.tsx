import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../format.ts'
import { Dialog } from '../ui/dialog.tsx'
import { plain } from '../ui/search.ts'
import classes from './pick-dialog.module.css'

const ROW_HEIGHT = 36

export type Option = {
  id: number
  name: string
  /** Why it can't be chosen (any more). */
  barrier?: string | undefined
}

type Props = {
  title: string
  options: Option[]
  chosen: number[]
  onConfirm: (ids: number[]) => void
  onClose: () => void
}

/** Chooses any number of many things by name. Nothing is saved before it is confirmed. */
export function PickDialog({ title, options, chosen, onConfirm, onClose }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [ids, setIds] = useState<ReadonlySet<number>>(() => new Set(chosen))
  // What was chosen already stands first: among hundreds nobody would find it.
  const [before] = useState(ids)
  const ordered = [
    ...options.filter(({ id }) => before.has(id)),
    ...options.filter(({ id }) => !before.has(id)),
  ]
  const wanted = plain(search.trim())
  // Once, not with each key: a phone would be late behind the typing in thousands of names.
  const names = useMemo(() => new Map(options.map(({ id, name }) => [id, plain(name)])), [options])
  const shown = ordered.filter(({ id }) => names.get(id)?.includes(wanted))
  const choosable = shown.filter(({ barrier }) => barrier === undefined)
  const shownChosen = choosable.filter(({ id }) => ids.has(id)).length
  const areAllChosen = choosable.length > 0 && shownChosen === choosable.length

  const set = (changed: Option[], isChosen: boolean) => {
    const next = new Set(ids)
    for (const { id } of changed) isChosen ? next.add(id) : next.delete(id)
    setIds(next)
  }

  return (
    <Dialog onClose={onClose} title={title}>
      <Stack gap="sm">
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

/** Draws only the rows in sight: an account may be in thousands of groups. */
function OptionList({ options, ids, onToggle }: ListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: options.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  })
  return (
    <div ref={frame} className={classes.frame}>
      <ul className={classes.list} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const option = options[index]
          if (!option) return null
          const isChosen = ids.has(option.id)
          return (
            <li
              key={option.id}
              className={classes.row}
              style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
              aria-setsize={options.length}
              aria-posinset={index + 1}
            >
              <Checkbox
                label={
                  <>
                    <bdi>{option.name}</bdi>
                    {option.barrier && ` (${option.barrier})`}
                  </>
                }
                title={option.name}
                checked={isChosen}
                // What was chosen before can still be taken away.
                disabled={option.barrier !== undefined && !isChosen}
                onChange={() => onToggle([option], !isChosen)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
