import { Button, Group, Input, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { weekdayPlaces, weekdays } from '@sendroom/contract/series-rule'
import { type Ref, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { HALF_TYPED } from '../../../forms/half-typed-date.ts'
import { TimeZoneSelect } from '../../../forms/time-zone-select.tsx'
import { monthName, weekdayName } from './calendar-names.ts'
import type { RuleValues, SeriesValues } from './series-values.ts'
import { SeveralFields } from './several-fields.tsx'

type Props = { form: UseFormReturnType<SeriesValues> }

const frequencies = ['day', 'week', 'month', 'year'] as const
const dayKinds = ['day', 'last', 'weekday'] as const

/** Reads the input. For a half-typed date its value is empty, so only its validity reveals it. */
export const dateIn = ({ validity, value }: HTMLInputElement) => (validity.badInput ? HALF_TYPED : value)

/** When a series sends. */
export function RuleFields({ form, endRef }: Props & { endRef: Ref<HTMLInputElement> }) {
  const { t } = useTranslation()
  const { rule } = form.values
  const field = (name: string) => form.getInputProps(`rule.${name}`)
  return (
    <>
      <SimpleGrid cols={2} spacing="sm">
        <TextInput label={t('SERIES.EVERY')} required inputMode="numeric" {...field('every')} />
        <NativeSelect
          label={t('SERIES.UNIT')}
          data={frequencies.map((unit) => ({ value: unit, label: t(`SERIES.UNIT_${unit.toUpperCase()}`) }))}
          {...field('frequency')}
        />
      </SimpleGrid>
      {rule.frequency === 'week' && <Weekdays form={form} />}
      {rule.frequency === 'month' && <MonthDay form={form} />}
      {rule.frequency === 'year' && (
        <>
          <NativeSelect
            label={t('SERIES.MONTH')}
            data={Array.from({ length: 12 }, (_, n) => ({ value: `${n + 1}`, label: monthName(n + 1) }))}
            {...field('month')}
            value={String(rule.month)}
            onChange={(event) => form.setFieldValue('rule.month', Number(event.currentTarget.value))}
          />
          <MonthDay form={form} />
        </>
      )}
      <SeveralFields
        label={t('SERIES.TIMES')}
        one={t('SERIES.TIME')}
        add={t('SERIES.ADD_TIME')}
        type="time"
        min={1}
        max={limits.seriesTimes}
        values={rule.times}
        onChange={(times) => form.setFieldValue('rule.times', times)}
        error={field('times').error}
        errorOf={(place) => field(`times.${place}`).error}
      />
      <TimeZoneSelect hint={t('SERIES.TIME_ZONE_HINT')} {...field('timeZone')} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextInput label={t('SERIES.STARTS_ON')} type="date" required {...field('startsOn')} />
        <EndDate
          ref={endRef}
          value={rule.endsOn}
          onChange={(day) => form.setFieldValue('rule.endsOn', day)}
          error={field('endsOn').error}
        />
        <TextInput label={t('SERIES.RUN_LIMIT')} inputMode="numeric" {...field('runLimit')} />
      </SimpleGrid>
      <Input.Description>{t('SERIES.END_HINT')}</Input.Description>
    </>
  )
}

function Weekdays({ form }: Props) {
  const { t } = useTranslation()
  const chosen = form.values.rule.weekdays
  const { error } = form.getInputProps('rule.weekdays')
  const toggle = (day: number) =>
    form.setFieldValue(
      'rule.weekdays',
      chosen.includes(day) ? chosen.filter((other) => other !== day) : [...chosen, day],
    )
  return (
    <Input.Wrapper label={t('SERIES.WEEKDAYS')} required error={error} labelElement="div">
      <Group role="group" aria-label={t('SERIES.WEEKDAYS')} gap={6} mt={4}>
        {weekdays.map((day) => (
          <Button
            key={day}
            size="xs"
            px="xs"
            variant={chosen.includes(day) ? 'filled' : 'default'}
            aria-pressed={chosen.includes(day)}
            title={weekdayName(day, 'long')}
            {...(error && { 'data-invalid': true })}
            onClick={() => toggle(day)}
          >
            {weekdayName(day, 'short')}
          </Button>
        ))}
      </Group>
    </Input.Wrapper>
  )
}

function MonthDay({ form }: Props) {
  const { t } = useTranslation()
  const { monthDay } = form.values.rule
  const field = (name: keyof RuleValues['monthDay']) => form.getInputProps(`rule.monthDay.${name}`)
  const number = (name: 'nth' | 'weekday') => ({
    ...field(name),
    value: String(monthDay[name]),
    onChange: (event: { currentTarget: { value: string } }) =>
      form.setFieldValue(`rule.monthDay.${name}`, Number(event.currentTarget.value)),
  })
  return (
    <SimpleGrid cols={monthDay.kind === 'weekday' ? { base: 1, xs: 3 } : 2} spacing="sm">
      <NativeSelect
        label={t('SERIES.DAY_KIND')}
        data={dayKinds.map((kind) => ({ value: kind, label: t(`SERIES.DAY_KIND_${kind.toUpperCase()}`) }))}
        {...field('kind')}
      />
      {monthDay.kind === 'day' && (
        <TextInput label={t('SERIES.DAY')} required inputMode="numeric" {...field('day')} />
      )}
      {monthDay.kind === 'weekday' && (
        <>
          <NativeSelect
            label={t('SERIES.NTH')}
            data={weekdayPlaces.map((nth) => ({
              value: String(nth),
              label: t(`SERIES.NTH_${nth === -1 ? 'LAST' : nth}`),
            }))}
            {...number('nth')}
          />
          <NativeSelect
            label={t('SERIES.WEEKDAY')}
            data={weekdays.map((day) => ({ value: String(day), label: weekdayName(day, 'long') }))}
            {...number('weekday')}
          />
        </>
      )}
    </SimpleGrid>
  )
}

type EndProps = { ref: Ref<HTMLInputElement>; value: string; onChange: (day: string) => void; error: string }

function EndDate({ ref, value, onChange, error }: EndProps) {
  const { t } = useTranslation()
  // Uncontrolled, because only the browser can hold a half-typed date.
  const [start] = useState(value === HALF_TYPED ? '' : value)
  return (
    <TextInput
      ref={ref}
      label={t('SERIES.ENDS_ON')}
      type="date"
      defaultValue={start}
      error={error}
      onChange={(event) => onChange(dateIn(event.currentTarget))}
      onBlur={(event) => onChange(dateIn(event.currentTarget))}
    />
  )
}
