import { Button, Loader, Text, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconDots } from '@tabler/icons-react'
import { useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { busyProps, disabledProps, ignoreDoubleClick } from '../ui/button-props.ts'
import { type Action, RowAction } from '../ui/row-action.tsx'
import classes from './row-actions.module.css'

/** Where rows become cards, see table.module.css. */
const NARROW = '(max-width: 48em)'

/**
 * The actions of a table row. A wide table shows icons with tooltips. A phone has no tooltips, so a card shows words:
 * the most important action as a button (the next step, or else the first), the others in a menu.
 */
export function RowActions({ actions }: { actions: (Action | false)[] }) {
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  if (!isNarrow)
    // Keyed by place, so that a button keeps the focus when its action becomes the opposite one.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    return actions.map((action, place) => action && <RowAction key={place} {...action} />)
  const all = actions.filter((action) => action !== false)
  const possible = all.filter(({ isNever }) => !isNever)
  const main = possible.find(({ isNext }) => isNext) ?? possible[0]
  const others = possible.filter((action) => action !== main)
  return (
    <>
      {main && <WordButton action={main} />}
      {others.length > 0 && <More actions={others} />}
      {all.map(
        ({ isNever, label, reason }) =>
          isNever && (
            <Text key={label} size="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
              {reason}
            </Text>
          ),
      )}
    </>
  )
}

function WordButton({ action }: { action: Action }) {
  const { label, icon: Icon, reason, loading, isNext, onClick } = action
  return (
    <Button
      variant={isNext ? 'light' : 'default'}
      classNames={{ root: classes.main ?? '', label: classes.mainLabel ?? '' }}
      leftSection={loading ? <Loader size={16} color="currentcolor" /> : <Icon size={16} aria-hidden />}
      onClick={ignoreDoubleClick(onClick)}
      {...(reason !== undefined && disabledProps(reason))}
      {...(loading && busyProps)}
    >
      {label}
    </Button>
  )
}

/** Uses the browser's own popover, as the user menu does. It closes on Escape or a tap outside. */
function More({ actions }: { actions: Action[] }) {
  const { t } = useTranslation()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const isBusy = actions.some(({ loading }) => loading)
  return (
    <>
      <Button
        ref={button}
        variant="default"
        popoverTarget={id}
        aria-busy={isBusy}
        leftSection={isBusy ? <Loader size={16} color="currentcolor" /> : <IconDots size={16} aria-hidden />}
      >
        {t('COMMON.MORE')}
      </Button>
      <div id={id} popover="auto" className={classes.sheet}>
        {actions.map((action) => (
          <Entry
            key={action.label}
            action={action}
            menu={id}
            onChoose={() => {
              // The entry disappears, so a dialog has to return the focus to the button.
              button.current?.focus()
              action.onClick()
            }}
          />
        ))}
      </div>
    </>
  )
}

type EntryProps = { action: Action; menu: string; onChoose: () => void }

/** An entry of the menu. A disabled one can be reached too, and says why. */
function Entry({ action, menu, onChoose }: EntryProps) {
  const { label, icon: Icon, tone, reason, loading } = action
  const isDisabled = reason !== undefined || loading === true
  return (
    <UnstyledButton
      className={classes.entry}
      data-tone={isDisabled ? undefined : tone}
      {...(isDisabled
        ? { 'aria-disabled': true }
        : { popoverTarget: menu, popoverTargetAction: 'hide', onClick: onChoose })}
    >
      <Icon size={18} aria-hidden />
      <span>
        {label}
        {reason !== undefined && <small>{reason}</small>}
      </span>
    </UnstyledButton>
  )
}
