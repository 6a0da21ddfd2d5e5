import { Button, Fieldset, Group, Radio, Stack, TagsInput, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type Language, languages } from '@sendroom/contract/languages'
import { limits } from '@sendroom/contract/limits'
import { defaultOptOutWords, type OptOutWords, type WordLists } from '@sendroom/contract/opt-out-words'
import { type OptOutSettings, OptOutSettingsChange } from '@sendroom/contract/opt-outs'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useAction } from '../../api/use-action.ts'
import { differenceOf } from '../../forms/differences.tsx'
import { FormPage } from '../../forms/form-page.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { useFormData } from '../../forms/use-form-data.ts'
import { useVersioned } from '../../forms/use-versioned.tsx'
import { enumerated } from '../../i18n/punctuation.ts'
import { Loading } from '../../ui/loading.tsx'

const kinds = ['stop', 'start', 'complaint'] as const satisfies (keyof WordLists)[]

/** Each in itself, as in every list of languages. */
const names: Record<Language, string> = { vi: 'Tiếng Việt', en: 'English', cn: '中文' }

type Values = { isForAll: boolean; words: OptOutWords }

/** The words by which people opt out and in, and for which accounts it holds. */
export const OptOutSettingsPage = () => <Settings />

function Settings() {
  const data = useFormData(
    'GET /opt-out-settings',
    {},
    { words: 'OPT_OUT.SETTINGS_LOAD_FAILED', leaveTo: '/settings' },
  )
  return data ? <Loaded loaded={data} /> : <Loading />
}

function Loaded({ loaded }: { loaded: OptOutSettings }) {
  const update = useAction('PUT /opt-out-settings', {
    success: 'OPT_OUT.SETTINGS_SAVED',
    failure: 'OPT_OUT.SETTINGS_SAVE_FAILED',
  })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /opt-out-settings', {}),
    send: async (values: Values, version) => {
      const saved = await update.mutateAsync({ body: { ...values, version: version.current } })
      version.current = saved.version
    },
    compare,
  })
  return (
    <>
      <SettingsForm key={record.version} initialValues={valuesOf(record)} save={save} />
      {dialog}
    </>
  )
}

const valuesOf = ({ isForAll, words }: OptOutSettings): Values => ({ isForAll, words })

const compare = (mine: Values, theirs: OptOutSettings) => [
  ...differenceOf('OPT_OUT.ALL_ACCOUNTS', mine.isForAll, theirs.isForAll),
  ...languages.flatMap((language) =>
    kinds.flatMap((kind) =>
      differenceOf(
        `OPT_OUT.WORDS_${kind.toUpperCase()}`,
        enumerated(mine.words[language][kind]),
        enumerated(theirs.words[language][kind]),
      ).map((difference) => ({ ...difference, label: `${names[language]} · ${difference.label}` })),
    ),
  ),
]

type FormProps = { initialValues: Values; save: (values: Values) => Promise<unknown> }

function SettingsForm({ initialValues, save }: FormProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { form, onSubmit, change } = useContractForm(OptOutSettingsChange, { initialValues, send: save })
  const { isForAll } = form.getValues()
  return (
    <FormPage
      title={t('OPT_OUT.SETTINGS_TITLE')}
      isBusy={form.submitting}
      onSubmit={onSubmit}
      onCancel={() => navigate({ to: '/settings' })}
    >
      <Radio.Group
        label={t('OPT_OUT.SCOPE_LABEL')}
        value={isForAll ? 'all' : 'one'}
        onChange={(scope) => change({ isForAll: scope === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t('OPT_OUT.SCOPE_ALL')} />
          <Radio value="one" label={t('OPT_OUT.SCOPE_ONE')} />
        </Stack>
      </Radio.Group>
      <Text size="sm" c="dimmed">
        {t('OPT_OUT.WORDS_HINT', { stop: 'dừng', others: enumerated(['“dùng”', '“đúng”', '“Dũng”']) })}
      </Text>
      {languages.map((language) => (
        <WordsOf key={language} language={language} form={form} />
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => change({ words: defaultOptOutWords })}>
          {t('OPT_OUT.RESTORE_WORDS')}
        </Button>
      </Group>
    </FormPage>
  )
}

type WordsProps = { language: Language; form: UseFormReturnType<Values> }

function WordsOf({ language, form }: WordsProps) {
  const { t } = useTranslation()
  return (
    <Fieldset legend={names[language]}>
      <Stack>
        {kinds.map((kind) => {
          const path = `words.${language}.${kind}`
          const { error, ...inputProps } = form.getInputProps(path)
          return (
            <TagsInput
              key={kind}
              label={t(`OPT_OUT.WORDS_${kind.toUpperCase()}`)}
              description={t(`OPT_OUT.WORDS_${kind.toUpperCase()}_HINT`)}
              required={kind === 'stop'}
              maxTags={limits.optOutWords}
              maxLength={limits.optOutWord}
              acceptValueOnBlur
              clearable={false}
              {...inputProps}
              error={error ?? wordError(form, path)}
            />
          )
        })}
      </Stack>
    </Fieldset>
  )
}

/** The error of one of the words, which the schema reports at its place. */
function wordError(form: UseFormReturnType<Values>, path: string) {
  const place = Object.keys(form.errors).find((field) => field.startsWith(`${path}.`))
  return place && form.getInputProps(place).error
}
