import { NativeSelect, Textarea } from '@mantine/core'
import { type JobType, jobTypes } from '@sendroom/contract/job-life'
import { NewJob } from '@sendroom/contract/jobs'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../api/use-action.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { GroupPicker } from '../../forms/group-picker.tsx'
import { HALF_TYPED, isToBeRead } from '../../forms/half-typed.ts'
import { InstanceSelect } from '../../forms/instance-select.tsx'
import { NamedSelect } from '../../forms/named-select.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { paths } from '../../paths.ts'
import { PAGE_SIZE, useAssignedGroups, useChosenMessage, useMessages } from './job-choices.ts'
import { type Draft, JobPreview } from './job-preview.tsx'
import { forgetRequest, requestIdOf } from './request-id.ts'
import { ScheduledAt, timeIn } from './scheduled-at.tsx'

type Values = {
  jobType: JobType
  /** 0 is none, as for the account. */
  messageId: number
  instanceId: number
  /** Empty means now; it may be half-typed. */
  scheduledAt: string
  groupIds: number[]
  phoneNumbers: string
}

const MINUTE_MS = 60_000

const blank: Values = {
  jobType: 'SendToGroups',
  messageId: 0,
  instanceId: 0,
  scheduledAt: '',
  groupIds: [],
  phoneNumbers: '',
}

const isAhead = (instant: string) => Date.parse(instant) > Date.now() - MINUTE_MS

/** To the server a time that has passed means now; here it is a mistake, or passed while the rest was filled in. */
const JobAhead = NewJob.refine(({ scheduledAt }) => !scheduledAt || isAhead(scheduledAt), {
  path: ['scheduledAt'],
  error: 'JOB.SCHEDULED_AT_PASSED',
})

export function JobForm() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toList = () => navigate({ to: paths.jobs })
  const create = useAction('POST /jobs', { success: 'JOB.CREATED', failure: 'JOB.CREATE_FAILED' })
  const { form, onSubmit, change } = useContractForm(JobAhead, {
    initialValues: blank,
    send: async (values) => {
      const order = bodyOf(values)
      await create.mutateAsync({
        body: {
          ...order,
          requestId: requestIdOf({ ...order, text: message?.textContent, image: message?.imageUrl }),
        },
      })
      forgetRequest()
    },
    onSent: toList,
  })
  const { jobType, messageId, instanceId, groupIds, scheduledAt } = form.values
  const messages = useMessages()
  const message = useChosenMessage(messageId)
  const assigned = useAssignedGroups(message, instanceId)
  // In a form that came back they were picked already.
  const isPicked = useRef(groupIds.length > 0)

  const chooseMessage = (id: number) => {
    const own = messages.options?.find((message) => message.id === id)?.instanceId
    change({ messageId: id, ...(instanceId === 0 && own && { instanceId: own }) })
  }
  const chooseInstance = (id: number) => {
    isPicked.current = false
    change({ instanceId: id, groupIds: [] })
  }
  const { setFieldValue } = form
  const choice = `${messageId} ${instanceId}`
  const preselectedFor = useRef(isPicked.current ? choice : '')
  useEffect(() => {
    // Once for each choice: groups that are read anew in the background must not undo what was picked since.
    if (!assigned || preselectedFor.current === choice) return
    preselectedFor.current = choice
    // A message without groups of its own leaves what was picked by hand, but not what another message brought.
    if (assigned.length > 0) isPicked.current = false
    if (!isPicked.current) setFieldValue('groupIds', assigned)
  }, [assigned, choice, setFieldValue])

  const time = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (time.current && isToBeRead(time.current)) setFieldValue('scheduledAt', timeIn(time.current))
    onSubmit(event)
  }

  return (
    <FormPage
      title={t('JOB.CREATE_TITLE')}
      submitText={t('JOB.CREATE')}
      isBusy={form.submitting}
      onSubmit={submit}
      onCancel={toList}
      aside={<JobPreview draft={draftOf(form.values)} message={message} />}
    >
      <NativeSelect
        label={t('JOB.TYPE')}
        required
        data={jobTypes.map((type) => ({ value: type, label: t(`JOB.TYPE_${type.toUpperCase()}`) }))}
        {...form.getInputProps('jobType')}
      />
      <NamedSelect
        label={t('JOB.MESSAGE')}
        required
        choices={messages}
        {...form.getInputProps('messageId')}
        value={messageId}
        onChange={chooseMessage}
      />
      <InstanceSelect
        pageSize={PAGE_SIZE}
        required
        {...form.getInputProps('instanceId')}
        value={instanceId}
        onChange={chooseInstance}
      />
      {jobType === 'SendToGroups' ? (
        <GroupPicker
          key={instanceId}
          instanceId={instanceId}
          pageSize={PAGE_SIZE}
          required
          value={groupIds}
          onChange={(ids) => {
            isPicked.current = true
            // Nor may those of a message that is still being read.
            preselectedFor.current = choice
            setFieldValue('groupIds', ids)
          }}
          error={form.getInputProps('groupIds').error}
        />
      ) : (
        <Textarea
          label={t('JOB.PHONE_NUMBERS')}
          description={t('JOB.PHONE_NUMBERS_HINT')}
          placeholder={'0901234567\n+84 912 345 678'}
          required
          autosize
          minRows={4}
          maxRows={12}
          {...form.getInputProps('phoneNumbers')}
        />
      )}
      <ScheduledAt
        ref={time}
        value={scheduledAt}
        onChange={(value) => setFieldValue('scheduledAt', value)}
        error={form.getInputProps('scheduledAt').error}
      />
    </FormPage>
  )
}

const bodyOf = ({ groupIds, phoneNumbers, ...rest }: Values) => ({
  ...rest,
  groupIds: rest.jobType === 'SendToGroups' ? groupIds : [],
  phoneNumbers: rest.jobType === 'SendToUsers' ? phoneNumbers : '',
})

/** What is not chosen yet is null. */
const draftOf = (values: Values): Draft => ({
  ...bodyOf(values),
  messageId: values.messageId || null,
  instanceId: values.instanceId || null,
  ...(values.scheduledAt === HALF_TYPED && { scheduledAt: '' }),
})
