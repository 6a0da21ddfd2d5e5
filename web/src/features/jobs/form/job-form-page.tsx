import { NativeSelect, TextInput } from '@mantine/core'
import { jobTypes } from '@sendroom/contract/job-life'
import { limits } from '@sendroom/contract/limits'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useCallback, useDeferredValue, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useAction } from '../../../api/use-action.ts'
import { instantAt } from '../../../format.ts'
import { shownContent, textOf } from '../../../forms/content-values.ts'
import { ClosedForm, FormPage } from '../../../forms/form-page.tsx'
import { shouldReadDate } from '../../../forms/half-typed-date.ts'
import { InstanceSelect } from '../../../forms/instance-select.tsx'
import { useContractForm } from '../../../forms/use-contract-form.ts'
import { useFileUrl } from '../../../forms/use-file-url.ts'
import { useMessageFields } from '../../../forms/use-message-fields.ts'
import { ApprovalHint } from './approval-hint.tsx'
import { PAGE_SIZE, useChosenMessage, useMessages } from './job-choices.ts'
import { JobPreview } from './job-preview.tsx'
import { MentionAll } from './mention-all.tsx'
import { MessageChoice } from './message-choice.tsx'
import { readNewJobSearch } from './new-job-search.ts'
import { blank, bodyOf, draftOf, fileOf, imageOf, NewJobForm, requestOf } from './new-job-values.ts'
import { Recipients } from './recipients.tsx'
import { forgetRequest, requestIdOf } from './request-id.ts'
import { ScheduledAt, timeIn } from './scheduled-at.tsx'
import { usePreselectedGroups, usePresets } from './use-presets.ts'

export function JobFormPage() {
  const { t } = useTranslation()
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  return isAllowed ? <JobForm /> : <ClosedForm title={t('JOB.CREATE_TITLE')} reason={t('JOB.NOT_ALLOWED')} />
}

function JobForm() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  // The router keeps the values that the route's own reading has dropped.
  const chosen = readNewJobSearch(useSearch({ strict: false }))
  const toList = () => navigate({ to: '/jobs' })
  const create = useAction(
    'POST /jobs',
    {
      success: ({ review }) => (review === 'in_review' ? 'JOB.CREATED_IN_REVIEW' : 'JOB.CREATED'),
      failure: 'JOB.CREATE_FAILED',
    },
    ['messages'],
  )
  const { form, onSubmit, change, preset } = useContractForm(NewJobForm, {
    initialValues: {
      ...blank,
      messageId: chosen.message ?? 0,
      instanceId: chosen.instance ?? 0,
      scheduledAt: chosen.start ? instantAt(chosen.start) : '',
    },
    send: async (values) => {
      const body = bodyOf(values)
      const { textContent: text, imageUrl: image, content: saved } = message ?? {}
      const requestId = requestIdOf({ ...body, text, image, saved, file: fileOf(values) })
      await create.mutateAsync({ body: requestOf({ ...body, requestId }, values) })
      forgetRequest()
    },
    onSent: toList,
  })
  const { isWritten, instanceId, groupIds, scheduledAt } = form.values
  const messageId = isWritten ? 0 : form.values.messageId
  const messages = useMessages()
  const message = useChosenMessage(messageId)
  const fields = useMessageFields(form, form.values.message, 'message.')
  const fileUrl = useFileUrl(imageOf(form.values))
  // Deferred: a long text is parsed on each keystroke and must not slow down the typing.
  const textContent = useDeferredValue(textOf(form.values.message))
  const content = shownContent(form.values.message.content)
  const mayWrite = mayDo('canWriteMessages', useCurrentUser())
  usePresets(preset, instanceId, mayWrite && messages.options?.length === 0)
  const { setFieldValue } = form
  const setGroups = useCallback((ids: number[]) => setFieldValue('groupIds', ids), [setFieldValue])
  const groups = usePreselectedGroups({ message, messageId, instanceId, groupIds, setGroups })

  const chooseMessage = (id: number) => {
    const own = messages.options?.find((message) => message.id === id)?.instanceId
    change({ messageId: id, ...(instanceId === 0 && own && { instanceId: own }) })
  }
  const chooseInstance = (id: number) => {
    groups.forget()
    change({ instanceId: id, groupIds: [], groupSetIds: [] })
  }
  const time = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (time.current && shouldReadDate(time.current)) setFieldValue('scheduledAt', timeIn(time.current))
    onSubmit(event)
  }

  return (
    <FormPage
      title={t('JOB.CREATE_TITLE')}
      submitText={t('JOB.CREATE')}
      isBusy={form.submitting}
      onSubmit={submit}
      onCancel={toList}
      aside={
        <JobPreview
          draft={draftOf(form.values)}
          message={isWritten ? { textContent, hasVariables: true, imageUrl: fileUrl, content } : message}
          texts={{
            choices: form.values,
            onChoose: change,
            errorOf: (key) => form.getInputProps(`fallbacks.${key}`).error,
          }}
        />
      }
    >
      <NativeSelect
        label={t('JOB.TYPE')}
        required
        data={jobTypes.map((type) => ({ value: type, label: t(`JOB.TYPE_${type.toUpperCase()}`) }))}
        {...form.getInputProps('jobType')}
      />
      <MessageChoice
        form={form}
        fields={fields}
        messages={messages}
        onChoose={chooseMessage}
        change={change}
        fileUrl={fileUrl}
      />
      <InstanceSelect
        pageSize={PAGE_SIZE}
        required
        {...form.getInputProps('instanceId')}
        value={instanceId}
        onChange={chooseInstance}
      />
      <ApprovalHint instanceId={instanceId} />
      <Recipients form={form} onPickGroups={groups.pick} />
      <MentionAll form={form} />
      <ScheduledAt
        ref={time}
        value={scheduledAt}
        onChange={(value) => setFieldValue('scheduledAt', value)}
        error={form.getInputProps('scheduledAt').error}
      />
      <TextInput
        label={t('JOB.NAME')}
        description={t('JOB.NAME_HINT')}
        maxLength={limits.jobName}
        {...form.getInputProps('name')}
      />
    </FormPage>
  )
}
