import { Alert, Checkbox, NativeSelect, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ColumnMeaning, Import, ImportPreview, Reading } from '@sendroom/contract/imports'
import { countries, encodings, separators } from '@sendroom/contract/table-files'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { currentLocale } from '../../i18n/i18n.ts'
import { bracketed } from '../../i18n/punctuation.ts'
import { Section } from '../../ui/section.tsx'
import { useProblemWords } from './import-words.ts'
import classes from './imports.module.css'
import { useStale } from './use-stale.ts'

/** How the file is read, its first rows, and everything that can be changed about it. */
export function ReadingSection({ of }: { of: Import }) {
  const { t } = useTranslation()
  const { id, version, status, reading } = of
  const { data: preview, isPlaceholderData } = useQuery({
    queryKey: ['imports', 'preview', id, version, reading ? null : status],
    queryFn: ({ signal }) => call('GET /imports/:id/preview', { params: { id } }, signal),
    placeholderData: keepPreviousData,
    meta: { words: 'IMPORT.READ_FAILED' },
  })
  const showPresent = useStale()
  const read = useAction('PUT /imports/:id', { failure: 'IMPORT.READ_FAILED' })
  const change = (changed: Partial<Reading>) =>
    reading &&
    read.mutate({ params: { id }, body: { ...bodyOf(reading, changed), version } }, { onError: showPresent })
  return (
    <Section title={t('IMPORT.READING')}>
      <Stack>
        {reading && (
          <fieldset disabled={read.isPending} style={{ border: 0, margin: 0, padding: 0 }}>
            <Settings reading={reading} sheets={preview?.sheets ?? []} onChange={change} />
          </fieldset>
        )}
        {preview?.isGuess && <Alert color="yellow">{t('IMPORT.ENCODING_GUESS')}</Alert>}
        {preview && (
          <Preview
            preview={preview}
            reading={reading}
            isBusy={read.isPending || isPlaceholderData}
            onChange={(columns) => change({ columns })}
          />
        )}
      </Stack>
    </Section>
  )
}

/** With another encoding, separator or sheet the columns are others. */
function bodyOf(reading: Reading, changed: Partial<Reading>) {
  const isRecognisedAnew = 'encoding' in changed || 'separator' in changed || 'sheet' in changed
  const { encoding, separator, sheet, hasHeader, columns, country } = { ...reading, ...changed }
  return {
    ...(encoding && { encoding }),
    ...(separator && { separator }),
    ...(sheet !== null && { sheet }),
    ...(!isRecognisedAnew && { hasHeader, columns }),
    country,
  }
}

const SEPARATOR_WORDS = { ',': 'COMMA', ';': 'SEMICOLON', '\t': 'TAB', '|': 'BAR' }

type SettingsProps = {
  reading: Reading
  sheets: string[]
  onChange: (changed: Partial<Reading>) => void
}

function Settings({ reading, sheets, onChange }: SettingsProps) {
  const { t } = useTranslation()
  const { encoding, separator, sheet, hasHeader, country } = reading
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {encoding && (
        <Choice
          label={t('IMPORT.ENCODING')}
          value={encoding}
          options={encodings.map((value) => ({ value, label: value }))}
          onChange={(encoding) => onChange({ encoding })}
        />
      )}
      {separator && (
        <Choice
          label={t('IMPORT.SEPARATOR')}
          value={separator}
          options={separators.map((value) => ({
            value,
            label: t(`IMPORT.SEPARATOR_${SEPARATOR_WORDS[value]}`),
          }))}
          onChange={(separator) => onChange({ separator })}
        />
      )}
      {sheet !== null && (
        <Choice
          label={t('IMPORT.SHEET')}
          value={sheet}
          options={(sheets.length > 0 ? sheets : [sheet]).map((value) => ({ value, label: value }))}
          onChange={(sheet) => onChange({ sheet })}
        />
      )}
      <Select
        searchable
        allowDeselect={false}
        label={t('IMPORT.COUNTRY')}
        value={country}
        data={countryOptions(country)}
        onChange={(country) => country && onChange({ country })}
      />
      <Checkbox
        label={t('IMPORT.HAS_HEADER')}
        checked={hasHeader}
        onChange={(event) => onChange({ hasHeader: event.currentTarget.checked })}
      />
    </SimpleGrid>
  )
}

type ChoiceProps<V extends string> = {
  label: string
  value: V
  options: { value: V; label: string }[]
  onChange: (value: V) => void
}

const Choice = <V extends string>({ label, value, options, onChange }: ChoiceProps<V>) => (
  <NativeSelect
    label={label}
    value={value}
    data={options}
    onChange={(event) => {
      const chosen = options.find((option) => option.value === event.currentTarget.value)
      if (chosen) onChange(chosen.value)
    }}
  />
)

/** The countries by their names, and the one that the server has as its own. */
function countryOptions(present: string) {
  const names = new Intl.DisplayNames(currentLocale(), { type: 'region' })
  return [...new Set<string>([present, ...countries])].map((value) => ({
    value,
    label: bracketed(names.of(value) ?? value, value),
  }))
}

type PreviewProps = {
  preview: ImportPreview
  reading: Reading | null
  isBusy: boolean
  onChange: (columns: ColumnMeaning[]) => void
}

function Preview({ preview: { header, rows }, reading, isBusy, onChange }: PreviewProps) {
  const { t } = useTranslation()
  const words = useProblemWords()
  const hasProblems = rows.some(({ problem }) => problem)
  const columns = reading?.columns ?? (['phone', 'name'] as const)
  const change = (place: number, meaning: ColumnMeaning) =>
    onChange(columns.map((column, other) => (other === place ? meaning : withoutSame(column, meaning))))
  return (
    <div>
      <Text size="sm" mb={4}>
        {t('IMPORT.FIRST_ROWS')}
      </Text>
      {/* Reached by keyboard, because it scrolls. */}
      <section
        className={classes.preview}
        aria-label={t('IMPORT.FIRST_ROWS')}
        aria-busy={isBusy}
        data-scrolls-sideways
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th>{t('IMPORT.ROW')}</th>
              {columns.map((column, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <th key={place}>
                  {header?.[place] ??
                    (reading ? t('IMPORT.COLUMN', { number: place + 1 }) : meaningText(column))}
                  {reading && (
                    <MeaningSelect
                      number={place + 1}
                      value={column}
                      isDisabled={isBusy}
                      onChange={(meaning) => change(place, meaning)}
                    />
                  )}
                </th>
              ))}
              {hasProblems && <th>{t('IMPORT.PROBLEM')}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ number, cells, problem }) => (
              <tr key={number} data-wrong={problem ? true : undefined}>
                <td>{number}</td>
                {columns.map((column, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                  <td key={place} className={column === null ? classes.unused : undefined}>
                    <bdi>{cells[place]}</bdi>
                  </td>
                ))}
                {hasProblems && <td>{problem && words(problem)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** A meaning that is given to a column is taken from the one that had it. */
const withoutSame = (column: ColumnMeaning, taken: ColumnMeaning) =>
  JSON.stringify(column) === JSON.stringify(taken) ? null : column

type MeaningProps = {
  number: number
  value: ColumnMeaning
  isDisabled: boolean
  onChange: (meaning: ColumnMeaning) => void
}

function MeaningSelect({ number, value, isDisabled, onChange }: MeaningProps) {
  const { t } = useTranslation()
  const { data } = useRead('GET /contact-fields', {})
  const meanings: { meaning: ColumnMeaning; label: string }[] = [
    ...([null, 'phone', 'name', 'note', 'tags'] as const).map((meaning) => ({
      meaning,
      label: meaningText(meaning),
    })),
    ...(data?.fields ?? []).map(({ key, name }) => ({ meaning: { field: key }, label: name })),
  ]
  const isSame = (meaning: ColumnMeaning) => JSON.stringify(meaning) === JSON.stringify(value)
  return (
    <NativeSelect
      size="xs"
      mt={4}
      aria-label={t('IMPORT.MEANING', { number })}
      disabled={isDisabled}
      value={meanings.findIndex(({ meaning }) => isSame(meaning))}
      data={meanings.map(({ label }, index) => ({ value: String(index), label }))}
      onChange={(event) => onChange(meanings[Number(event.currentTarget.value)]?.meaning ?? null)}
    />
  )
}

const meaningText = (meaning: ColumnMeaning) =>
  typeof meaning === 'object' && meaning !== null
    ? meaning.field
    : i18next.t(`IMPORT.MEANING_${(meaning ?? 'none').toUpperCase()}`)
