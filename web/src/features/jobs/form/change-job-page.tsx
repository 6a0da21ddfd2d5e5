import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { jobCan } from '@sendroom/contract/job-life'
import type { Job } from '@sendroom/contract/jobs'
import { limits } from '@sendroom/contract/limits'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, type Ref, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../../address.ts'
import { call } from '../../../api/client.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useAction } from '../../../api/use-action.ts'
import { formatDateTime } from '../../../format.ts'
import { type Difference, differenceOf, InstanceNames } from '../../../forms/differences.tsx'
import { ClosedForm, FormPage } from '../../../forms/form-page.tsx'
import { shouldReadDate } from '../../../forms/half-typed-date.ts'
import { InstanceSelect } from '../../../forms/instance-select.tsx'
import { NamedSelect } from '../../../forms/named-select.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { useFormData } from '../../../forms/use-form-data.ts'
import { useVersioned } from '../../../forms/use-versioned.tsx'
import { counted } from '../../../i18n/words.ts'
import { Loading } from '../../../ui/loading.tsx'
import { Section } from '../../../ui/section.tsx'
import { WhatsAppMessage } from '../../../ui/whatsapp-message.tsx'
import { ApprovalHint } from './approval-hint.tsx'
import { type ChangeValues, changeFormOf, changeOf, type JobChange, valuesOf } from './change-job-values.ts'
import { PAGE_SIZE, useChosenMessage, useMessages } from './job-choices.ts'
import { JobPreview } from './job-preview.tsx'
import { MentionAll } from './mention-all.tsx'
import { draftOf, type Values } from './new-job-values.ts'
import { Recipients } from './recipients.tsx'
import { ReviewNote } from './review-note.tsx'
import { ScheduledAt, timeIn } from './scheduled-at.tsx'

/** Changes the job whose id is in the address: all of it while it waits, then its name. */
export function ChangeJobPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false })) ?? 0
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  return isAllowed ? (
    <LoadJob key={id} id={id} />
  ) : (
    <ClosedForm title={t('JOB.CHANGE_TITLE', { id })} reason={t('JOB.NOT_ALLOWED')} />
  )
}

function LoadJob({ id }: { id: number }) {
  const job = useFormData(
    'GET /jobs/:id',
    { params: { id } },
    { words: 'JOB.DETAILS_FAILED', leaveTo: '/jobs' },
  )
  return job ? <ChangeJob loaded={job} /> : <Loading />
}

function ChangeJob({ loaded }: { loaded: Job }) {
  const change = useAction('PUT /jobs/:id', {
    success: ({ review }) => (review === 'in_review' ? 'JOB.CHANGED_IN_REVIEW' : 'JOB.CHANGED'),
    failure: 'JOB.CHANGE_FAILED',
  })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /jobs/:id', { params: { id: loaded.id } }),
    send: (body: JobChange, { current: version }) =>
      change.mutateAsync({ params: { id: loaded.id }, body: { ...body, version } }),
    compare,
  })
  return (
    <>
      <JobForm key={record.version} job={record} save={save} />
      {dialog}
    </>
  )
}

/** The fields that this user changes. The others stay as somebody else has made them. */
function compare({ name, instanceId, scheduledAt }: JobChange, job: Job): Difference[] {
  const theirs = valuesOf(job)
  const showTime = (instant: string) => (instant === '' ? '—' : formatDateTime(instant))
  const showInstance = (id: number) => <InstanceNames ids={[id]} />
  return [
    ...differenceOf('JOB.NAME', name ?? theirs.name, theirs.name),
    ...differenceOf('JOB.INSTANCE', instanceId ?? theirs.instanceId, theirs.instanceId, showInstance),
    ...differenceOf('JOB.SCHEDULED_AT', scheduledAt ?? theirs.scheduledAt, theirs.scheduledAt, showTime),
  ]
}

type Props = { job: Job; save: (change: JobChange) => Promise<unknown> }

function JobForm({ job, save }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toJob = () => navigate({ to: '/jobs/$id', params: { id: `${job.id}` } })
  const schema = useMemo(() => changeFormOf(job), [job])
  const { form, onSubmit, change } = useContractForm(schema, {
    initialValues: valuesOf(job),
    send: (values) => save(changeOf(values, job)),
    onSent: toJob,
  })
  const time = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (time.current && shouldReadDate(time.current)) form.setFieldValue('scheduledAt', timeIn(time.current))
    onSubmit(event)
  }
  const isLocked = job.review === 'in_review'
  const waits = jobCan('change', job) && !isLocked
  return (
    <FormPage
      title={t('JOB.CHANGE_TITLE', { id: job.id })}
      isBusy={form.submitting}
      onSubmit={submit}
      onCancel={toJob}
      aside={waits && <Preview job={job} values={form.values} form={form} change={change} />}
    >
      <ReviewNote job={job} />
      <TextInput
        label={t('JOB.NAME')}
        description={t(waits || isLocked ? 'JOB.NAME_HINT' : 'JOB.NAME_ONLY')}
        maxLength={limits.jobName}
        {...form.getInputProps('name')}
      />
      {waits && <WaitingFields job={job} form={form} change={change} time={time} />}
    </FormPage>
  )
}

type FieldsProps = {
  job: Job
  form: UseFormReturnType<ChangeValues>
  change: (values: Partial<ChangeValues>) => void
}

function WaitingFields({ job, form, change, time }: FieldsProps & { time: Ref<HTMLInputElement> }) {
  const { t } = useTranslation()
  const messages = useMessages()
  const { messageId, instanceId, keepsRecipients, leaveOutIncomplete, scheduledAt, jobType } = form.values
  // Groups belong to an account.
  const mayKeep = jobType === 'SendToUsers' || instanceId === job.instanceId
  const chooseInstance = (id: number) => {
    const keeps = keepsRecipients && (jobType === 'SendToUsers' || id === job.instanceId)
    change({ instanceId: id, groupIds: [], groupSetIds: [], keepsRecipients: keeps })
  }
  return (
    <>
      <NamedSelect
        label={t('JOB.OTHER_MESSAGE')}
        description={t('JOB.OTHER_MESSAGE_HINT')}
        choices={messages}
        clearable
        {...form.getInputProps('messageId')}
        value={messageId}
        onChange={(id) => change({ messageId: id })}
      />
      <InstanceSelect
        pageSize={PAGE_SIZE}
        required
        {...form.getInputProps('instanceId')}
        value={instanceId}
        onChange={chooseInstance}
      />
      <ApprovalHint instanceId={instanceId} />
      <Radio.Group
        label={t('JOB.RECIPIENTS')}
        value={keepsRecipients ? 'keep' : 'choose'}
        onChange={(choice) => change({ keepsRecipients: choice === 'keep' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="keep"
            disabled={!mayKeep}
            label={t('JOB.RECIPIENTS_KEEP', counted(job.recipientCount))}
          />
          <Radio value="choose" label={t('JOB.RECIPIENTS_CHOOSE')} />
        </Stack>
      </Radio.Group>
      {keepsRecipients && jobType === 'SendToUsers' && messageId !== 0 && (
        <Checkbox
          label={t('JOB.LEAVE_OUT_INCOMPLETE')}
          checked={leaveOutIncomplete}
          onChange={(event) => change({ leaveOutIncomplete: event.currentTarget.checked })}
        />
      )}
      {!keepsRecipients && (
        <Recipients
          form={form as unknown as UseFormReturnType<Values>} // it has these values and one more
          onPickGroups={(ids) => change({ groupIds: ids })}
        />
      )}
      <MentionAll form={form} />
      <ScheduledAt
        ref={time}
        value={scheduledAt}
        onChange={(value) => form.setFieldValue('scheduledAt', value)}
        error={form.getInputProps('scheduledAt').error}
      />
    </>
  )
}

/** The text that the job will have, and what it would do for newly chosen recipients. */
function Preview({ job, values, form, change }: FieldsProps & { values: ChangeValues }) {
  const { t } = useTranslation()
  const chosen = useChosenMessage(values.messageId)
  const { textContent, isPersonal: hasVariables, imageUrl, content } = job
  const own = { textContent, hasVariables, imageUrl, content }
  const message = values.messageId === 0 ? own : chosen
  if (values.keepsRecipients)
    return (
      <Section title={t('JOB.MESSAGE')}>
        {message && (
          <WhatsAppMessage
            text={message.textContent}
            hasVariables={message.hasVariables}
            imageUrl={message.imageUrl}
            content={message.content}
          />
        )}
      </Section>
    )
  const isOwnPersonal = values.messageId === 0 && own.hasVariables
  return (
    <JobPreview
      draft={{ ...draftOf(values), ...(isOwnPersonal && { message: { textContent } }) }}
      message={message}
      texts={{
        choices: values,
        onChoose: change,
        errorOf: (key) => form.getInputProps(`fallbacks.${key}`).error,
      }}
    />
  )
}
