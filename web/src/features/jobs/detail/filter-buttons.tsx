import { Button, Group } from '@mantine/core'
import classes from './job-detail.module.css'

type Props<Name extends string> = {
  /** For screen readers. */
  label: string
  filters: { name: Name; text: string }[]
  chosen: Name
  onChoose: (name: Name) => void
}

/** A row of buttons, one of which is pressed. */
export function FilterButtons<Name extends string>({ label, filters, chosen, onChoose }: Props<Name>) {
  return (
    <Group component="fieldset" gap="xs" mb="sm" className={classes.filters} aria-label={label}>
      {filters.map(({ name, text }) => (
        <Button
          key={name}
          size="compact-sm"
          variant={name === chosen ? 'filled' : 'default'}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {text}
        </Button>
      ))}
    </Group>
  )
}
