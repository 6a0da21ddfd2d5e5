import { TextInput } from '@mantine/core'

type Props = {
  label: string
  /** NaN while the field is empty. */
  value: number
  max: number
  isWrong: boolean
  onChange: (value: number) => void
}

export const NumberField = ({ label, value, max, isWrong, onChange }: Props) => (
  <TextInput
    label={label}
    type="number"
    inputMode="decimal"
    min={0}
    max={max}
    step="any"
    error={isWrong}
    value={Number.isNaN(value) ? '' : value}
    onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
  />
)
