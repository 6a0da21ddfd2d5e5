import { ActionIcon, Group, MultiSelect, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import type { ContactField } from '@sendroom/contract/contact-fields'
import type { ContactFilter } from '@sendroom/contract/contacts'
import { limits } from '@sendroom/contract/limits'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../api/queries.ts'
import classes from './contact-filter-bar.module.css'
import { useContactFields } from './use-contact-fields.ts'

type FieldFilter = ContactFilter['fields'][number]
type Value = FieldFilter['value']

type Filter = Pick<ContactFilter, 'tagIds' | 'fields'>
type Props = {
  filter: Filter
  setFilter: (change: Partial<Filter>) => void
  /** Further filters. */
  children?: ReactNode
}

/** Filters the list by tags, and by values of fields, each as soon as it is chosen or typed. */
export function ContactFilterBar({ filter, setFilter, children }: Props) {
  const { data: fields = [] } = useContactFields()
  const [opened, setOpened] = useState<string[]>([])
  const chosen = filter.fields.map(({ key }) => key)
  const shown = fields.filter(({ key }) => chosen.includes(key) || opened.includes(key))
  const setValue = (key: string, value: Value | null) => {
    const others = filter.fields.filter((field) => field.key !== key)
    setFilter({ fields: value === null ? others : [...others, { key, value }] })
  }
  return (
    <Group gap="xs" mb="md" align="end" className={classes.bar}>
      {children}
      <TagFilter chosen={filter.tagIds} onChange={(tagIds) => setFilter({ tagIds })} />
      {shown.map((field) => (
        <ValueFilter
          key={field.key}
          field={field}
          value={filter.fields.find(({ key }) => key === field.key)?.value ?? null}
          onChange={(value) => setValue(field.key, value)}
          onClose={() => {
            setOpened(opened.filter((key) => key !== field.key))
            if (chosen.includes(field.key)) setValue(field.key, null)
          }}
        />
      ))}
      <FieldChoice
        fields={fields.filter((field) => !shown.includes(field))}
        onChoose={(key) => setOpened([...opened, key])}
      />
    </Group>
  )
}

type TagProps = { chosen: number[]; onChange: (ids: number[]) => void }

function TagFilter({ chosen, onChange }: TagProps) {
  const { t } = useTranslation()
  const { data } = useRead('GET /tags', {})
  if (!data || (data.tags.length === 0 && chosen.length === 0)) return null
  return (
    <MultiSelect
      aria-label={t('CONTACT.TAGS')}
      placeholder={chosen.length === 0 ? t('CONTACT.FILTER_TAGS') : ''}
      nothingFoundMessage={t('COMMON.NO_DATA_FOUND')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('CONTACT.CLEAR_TAGS') }}
      limit={100}
      maxValues={limits.contactTags}
      data={data.tags.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={chosen.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
    />
  )
}

type ChoiceProps = { fields: ContactField[]; onChoose: (key: string) => void }

function FieldChoice({ fields, onChoose }: ChoiceProps) {
  const { t } = useTranslation()
  if (fields.length === 0) return null
  return (
    <NativeSelect
      aria-label={t('CONTACT.FILTER_FIELD')}
      value=""
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={[
        { value: '', label: t('CONTACT.FILTER_FIELD') },
        ...fields.map(({ key, name }) => ({ value: key, label: name })),
      ]}
    />
  )
}

type ValueProps = {
  field: ContactField
  value: Value | null
  onChange: (value: Value | null) => void
  onClose: () => void
}

function ValueFilter({ field, value, onChange, onClose }: ValueProps) {
  const { t } = useTranslation()
  return (
    <Group gap={2} wrap="nowrap" align="end">
      <ValueInput field={field} value={value} onChange={onChange} />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('CONTACT.REMOVE_FILTER', { name: field.name })}
        onClick={onClose}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

function ValueInput({ field, value, onChange }: Omit<ValueProps, 'onClose'>) {
  const { t } = useTranslation()
  const { name, type, choices } = field
  const options =
    type === 'yesNo'
      ? [
          { value: 'true', label: t('COMMON.YES') },
          { value: 'false', label: t('COMMON.NO') },
        ]
      : choices.map((choice) => ({ value: choice, label: choice }))
  if (type === 'yesNo' || type === 'choice')
    return (
      <NativeSelect
        label={name}
        value={value === null ? '' : String(value)}
        onChange={(event) => onChange(event.currentTarget.value || null)}
        data={[{ value: '', label: t('FORM.CHOOSE') }, ...options]}
      />
    )
  return <TypedValue key={String(value)} field={field} value={value} onChange={onChange} />
}

/** A text, number or date, which filters on Enter or when the field is left. */
function TypedValue({ field: { name, type }, value, onChange }: Omit<ValueProps, 'onClose'>) {
  const [typed, setTyped] = useState(value === null ? '' : String(value))
  const apply = () => {
    if (typed.trim() !== String(value ?? '')) onChange(typed.trim() || null)
  }
  const props = {
    label: name,
    value: typed,
    onBlur: apply,
    onKeyDown: ({ key }: { key: string }) => {
      if (key === 'Enter') apply()
    },
  }
  if (type === 'number')
    return (
      <NumberInput
        {...props}
        hideControls
        decimalScale={6}
        allowedDecimalSeparators={['.', ',']}
        onChange={(number) => setTyped(String(number))}
      />
    )
  return (
    <TextInput
      {...props}
      {...(type === 'date'
        ? { type, min: '1800-01-01', max: '9999-12-31' }
        : { maxLength: limits.contactValue })}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  )
}
