import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { jobTypes } from '@sendroom/contract/job-life'
import { limits } from '@sendroom/contract/limits'
import type { Series } from '@sendroom/contract/series'
import { overlapChoices, quietPolicies } from '@sendroom/contract/series-states'
import { DAY_MS } from '@sendroom/contract/wall-clock'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormPage } from '../../../forms/form-page.tsx'
import { shouldReadDate } from '../../../forms/half-typed-date.ts'
import { InstanceSelect } from '../../../forms/instance-select.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { counted } from '../../../i18n/words.ts'
import { PAGE_SIZE, useChosenMessage, useMessages } from '../form/job-choices.ts'
import { JobPreview } from '../form/job-preview.tsx'
import { blank as blankJob, draftOf, type Values } from '../form/new-job-values.ts'
import { Recipients } from '../form/recipients.tsx'
import { MessageOrder } from './message-order.tsx'
import { dateIn, RuleFields } from './rule-fields.tsx'
import { SeriesForecast, usePlan } from './series-forecast.tsx'
import { hasSources, SeriesFormSchema, type SeriesValues } from './series-values.ts'
import { SeveralFields } from './several-fields.tsx'
import { minutesIn } from './zone-minutes.ts'

type Props = {
  title: string
  submitText: string
  /** The series that is changed. */
  series?: Series
  initialValues: SeriesValues
  save: (values: SeriesValues) => Promise<unknown>
  leave: () => unknown
}

type Form = UseFormReturnType<SeriesValues>

export function SeriesForm({ title, submitText, series, initialValues, save, leave }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { form, onSubmit, change } = useContractForm(SeriesFormSchema, {
    initialValues,
    send: save,
    onSent: series ? leave : () => navigate({ to: '/series' }),
  })
  const { values } = form
  const messages = useMessages()
  const chooseMessages = (ids: number[]) => {
    const own = messages.options?.find(({ id }) => id === ids.at(-1))?.instanceId
    change({ messageIds: ids, ...(values.instanceId === 0 && own && { instanceId: own }) })
  }
  const end = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (end.current && shouldReadDate(end.current)) form.setFieldValue('rule.endsOn', dateIn(end.current))
    onSubmit(event)
  }
  const isChange = series !== undefined && JSON.stringify(values.rule) !== JSON.stringify(initialValues.rule)
  return (
    <FormPage
      title={title}
      submitText={submitText}
      isBusy={form.submitting}
      onSubmit={submit}
      onCancel={leave}
      aside={<Aside form={form} change={change} isChange={isChange} />}
    >
      <TextInput
        label={t('SERIES.NAME')}
        required
        autoComplete="off"
        maxLength={limits.seriesName}
        {...form.getInputProps('name')}
      />
      <InstanceSelect
        pageSize={PAGE_SIZE}
        required
        {...form.getInputProps('instanceId')}
        value={values.instanceId}
        onChange={(id) => change({ instanceId: id, groupIds: [], groupSetIds: [] })}
      />
      <NativeSelect
        label={t('JOB.TYPE')}
        required
        data={jobTypes.map((type) => ({ value: type, label: t(`JOB.TYPE_${type.toUpperCase()}`) }))}
        {...form.getInputProps('jobType')}
      />
      <MessageOrder
        messages={messages}
        value={values.messageIds}
        onChange={chooseMessages}
        error={form.getInputProps('messageIds').error && t('JOB.MESSAGE_REQUIRED')}
      />
      <Recipients
        // The form has all values of recipients.
        form={form as unknown as UseFormReturnType<Values>}
        onPickGroups={(ids) => change({ groupIds: ids })}
      />
      {hasSources(values) && <Frozen form={form} series={series} />}
      <RuleFields form={form} endRef={end} />
      <Quiet form={form} />
      <Choice form={form} field="overlap" values={overlapChoices} />
    </FormPage>
  )
}

function Frozen({ form, series }: { form: Form; series: Series | undefined }) {
  const { t } = useTranslation()
  const count = series?.frozenCount ?? null
  return (
    <Radio.Group
      label={t('SERIES.FROZEN')}
      value={form.values.isFrozen ? 'now' : 'each'}
      onChange={(choice) => form.setFieldValue('isFrozen', choice === 'now')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="each" label={t('SERIES.FROZEN_EACH')} />
        <Radio
          value="now"
          label={t('SERIES.FROZEN_NOW')}
          description={count !== null && t('SERIES.FROZEN_COUNT', counted(count))}
        />
      </Stack>
    </Radio.Group>
  )
}

function Quiet({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { quietDays } = form.values
  return (
    <>
      <SeveralFields
        label={t('SERIES.QUIET_DAYS')}
        description={t('SERIES.QUIET_DAYS_HINT')}
        one={t('SERIES.QUIET_DAY')}
        add={t('SERIES.ADD_QUIET_DAY')}
        type="date"
        max={limits.seriesQuietDays}
        values={quietDays}
        onChange={(days) => form.setFieldValue('quietDays', days)}
        error={form.getInputProps('quietDays').error}
        errorOf={(place) => form.getInputProps(`quietDays.${place}`).error}
      />
      <Choice form={form} field="quietPolicy" values={quietPolicies} />
    </>
  )
}

type ChoiceProps = { form: Form; field: 'overlap' | 'quietPolicy'; values: readonly string[] }

/** Chooses what becomes of a run in a hard case. */
function Choice({ form, field, values }: ChoiceProps) {
  const { t } = useTranslation()
  const words = field === 'overlap' ? 'SERIES.OVERLAP' : 'SERIES.QUIET_POLICY'
  return (
    <Radio.Group label={t(words)} {...form.getInputProps(field)}>
      <Stack gap="xs" mt="xs">
        {values.map((value) => (
          <Radio key={value} value={value} label={t(`${words}_${value.toUpperCase()}`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

type AsideProps = { form: Form; change: (values: Partial<SeriesValues>) => void; isChange: boolean }

/** Shows the next runs, and what the first of them would send now. */
function Aside({ form, change, isChange }: AsideProps) {
  const { t } = useTranslation()
  const { values } = form
  const [openedAt] = useState(Date.now)
  const { timeZone } = values.rule
  const from = useMemo(
    () => (isChange ? endOfDay(openedAt, timeZone) : openedAt),
    [isChange, openedAt, timeZone],
  )
  const plan = usePlan(values, from)
  const [shown, setShown] = useState(0)
  const place = Math.min(shown, Math.max(0, values.messageIds.length - 1))
  const messageId = values.messageIds[place] ?? 0
  const message = useChosenMessage(messageId)
  const scheduledAt = plan?.runs.find(({ runsAt }) => runsAt !== null)?.runsAt ?? ''
  return (
    <Stack>
      <SeriesForecast plan={plan} isChange={isChange} />
      {values.messageIds.length > 1 && (
        <NativeSelect
          label={t('SERIES.PREVIEW_OF')}
          data={values.messageIds.map((_, n) => ({
            value: `${n}`,
            label: t('SERIES.MESSAGE_NUMBER', { number: n + 1 }),
          }))}
          value={String(place)}
          onChange={(event) => setShown(Number(event.currentTarget.value))}
        />
      )}
      <JobPreview
        draft={draftOf({ ...blankJob, ...values, messageId, scheduledAt })}
        message={message}
        texts={{
          choices: values,
          onChoose: change,
          errorOf: (key) => form.getInputProps(`fallbacks.${key}`).error,
        }}
      />
    </Stack>
  )
}

/** The last moment of a day: changed times hold after the present day. */
function endOfDay(moment: number, timeZone: string): number {
  const { minuteOf, instantAt } = minutesIn(timeZone)
  const [tomorrow] = minuteOf(Date.parse(instantAt(`${minuteOf(moment).slice(0, 10)}T12:00`)) + DAY_MS).split(
    'T',
  )
  return Date.parse(instantAt(`${tomorrow}T00:00`)) - 1
}
