import { Group, NativeSelect, TextInput } from '@mantine/core'
import { auditActions } from '@sendroom/contract/audit-actions'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type AuditFilters, isDay, readFilters } from './audit-search.ts'
import { actionKey } from './audit-words.tsx'

type Props = { filters: AuditFilters; onChange: (filters: AuditFilters) => void }

export function AuditFilter({ filters, onChange }: Props) {
  const { t } = useTranslation()
  const change = (changed: Record<string, string>) => onChange(readFilters({ ...filters, ...changed }))
  return (
    <Group gap="xs" mb="md" align="end">
      <NativeSelect
        label={t('AUDIT.ACTION')}
        value={filters.action ?? ''}
        onChange={(event) => change({ action: event.currentTarget.value })}
        data={[
          { value: '', label: t('AUDIT.ALL_ACTIONS') },
          ...auditActions.map((action) => ({ value: action, label: t(actionKey(action)) })),
        ]}
      />
      <DayInput label={t('AUDIT.FROM')} day={filters.from ?? ''} onChange={(from) => change({ from })} />
      <DayInput label={t('AUDIT.TO')} day={filters.to ?? ''} onChange={(to) => change({ to })} />
    </Group>
  )
}

type DayProps = { label: string; day: string; onChange: (day: string) => void }

/** A day that filters as soon as it is whole, or cleared. */
function DayInput({ label, day, onChange }: DayProps) {
  const [typed, setTyped] = useState(day)
  const [applied, setApplied] = useState(day)
  // The address changed, for example by the back button.
  if (day !== applied) {
    setApplied(day)
    setTyped(day)
  }
  return (
    <TextInput
      type="date"
      label={label}
      min="2000-01-01"
      max="9999-12-31"
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        if (isDay(value) || value === '') onChange(value)
      }}
    />
  )
}
