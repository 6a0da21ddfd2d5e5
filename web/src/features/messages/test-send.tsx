import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { NewContent } from '@sendroom/contract/message-content'
import { TestRecipient } from '@sendroom/contract/messages'
import { IconSend } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useAction } from '../../api/use-action.ts'
import { InstanceSelect, useOnlyInstance } from '../../forms/instance-select.tsx'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Section } from '../../ui/section.tsx'
import { TestOutcome } from './test-outcome.tsx'

const PAGE_SIZE = 100

type Draft = {
  textContent: string
  content?: NewContent
  imageFile: File | null
  imageOf: number | null
  /** The contact whose values stand for the variables. */
  contactId: number | null
}

type Props = {
  /** The message in its current, possibly unsaved state. */
  message: Draft
  /** The id of the message's own instance; 0 for none. */
  instanceId: number
  /** Validates the message, shows its errors and returns whether it can be sent. */
  isReady: () => boolean
}

/** Sends the message, saved or not, to one number and shows the outcome. Folded at first, because it is optional. */
export function TestSend(props: Props) {
  const { t } = useTranslation()
  const isAllowed = mayDo('canCreateJobs', useCurrentUser())
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={t('MESSAGE.TEST_TITLE')} titleMargin={4}>
      <Text size="sm" c="dimmed" mb="sm">
        {t(isAllowed ? 'MESSAGE.TEST_HINT' : 'MESSAGE.TEST_NOT_ALLOWED')}
      </Text>
      {isAllowed && !isOpen && (
        <Button
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {t('MESSAGE.TEST_OPEN')}
        </Button>
      )}
      {isAllowed && isOpen && <TestForm {...props} />}
    </Section>
  )
}

function TestForm({ message, instanceId, isReady }: Props) {
  const { t } = useTranslation()
  const [jobId, setJobId] = useState<number | null>(null)
  const create = useAction('POST /jobs/test', { failure: 'MESSAGE.TEST_FAILED' })
  // The form for the message, in which this one stands, has loaded the accounts.
  const only = useOnlyInstance(PAGE_SIZE) ?? 0
  const { form, onSubmit } = useContractForm(TestRecipient, {
    initialValues: { phoneNumber: '', instanceId: instanceId || only },
    isGuarded: false,
    send: async ({ phoneNumber, instanceId: from }) => {
      if (!isReady()) return
      const { id } = await create.mutateAsync({ body: bodyOf(message, phoneNumber, Number(from)) })
      setJobId(id)
    },
  })
  const follow = useEffectEvent((id: number) => form.setFieldValue('instanceId', id))
  useEffect(() => {
    if (instanceId !== 0) follow(instanceId)
  }, [instanceId])
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        <TextInput
          type="tel"
          label={t('MESSAGE.TEST_PHONE')}
          // The button that had the focus is gone.
          autoFocus
          autoComplete="tel"
          required
          {...form.getInputProps('phoneNumber')}
        />
        <InstanceSelect
          pageSize={PAGE_SIZE}
          label={t('MESSAGE.TEST_FROM')}
          required
          {...form.getInputProps('instanceId')}
          value={form.values.instanceId}
          onChange={(id) => form.setFieldValue('instanceId', id)}
        />
        <BusyButton
          type="submit"
          variant="default"
          leftSection={<IconSend size={16} aria-hidden />}
          isBusy={form.submitting}
          // The first click of a double-click may be answered before the second, which would send a second test.
          onClick={(event) => event.detail > 1 && event.preventDefault()}
        >
          {t('MESSAGE.TEST_SEND')}
        </BusyButton>
        {jobId !== null && <TestOutcome key={jobId} jobId={jobId} />}
      </Stack>
    </form>
  )
}

function bodyOf({ imageFile, ...message }: Draft, phoneNumber: string, instanceId: number) {
  if (!imageFile) return { ...message, phoneNumber, instanceId }
  const form = new FormData()
  form.set('textContent', message.textContent)
  if (message.contactId !== null) form.set('contactId', String(message.contactId))
  form.set('phoneNumber', phoneNumber)
  form.set('instanceId', String(instanceId))
  form.set('imageFile', imageFile)
  return form
}
