import { Alert, Button, Group, Paper, Stack } from '@mantine/core'
import { type FormEventHandler, type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../ui/busy-button.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './form-page.module.css'

type Props = {
  title: string
  submitText?: string
  /** Disables the form while it is sent. Required, so that no form can be sent twice. */
  isBusy: boolean
  onSubmit: FormEventHandler<HTMLFormElement>
  onCancel: () => void
  /** Content beside the fields, or on small screens between fields and buttons, such as a preview. */
  aside?: ReactNode
  children: ReactNode
}

/** The frame of a form page: title, fields, content to read before submitting, and the buttons. */
export function FormPage({ title, submitText, isBusy, onSubmit, onCancel, aside, children }: Props) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <div className={classes.columns}>
        <Paper component="form" id={id} withBorder p="lg" onSubmit={onSubmit} noValidate>
          {/* Input during sending would be lost. */}
          <fieldset disabled={isBusy} className={classes.fields}>
            <Stack>{children}</Stack>
          </fieldset>
        </Paper>
        {aside && <div className={classes.aside}>{aside}</div>}
        {/* The buttons are outside of the form element, because `aside` may contain a form. */}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('COMMON.CANCEL')}
          </Button>
          <BusyButton type="submit" form={id} isBusy={isBusy}>
            {submitText ?? t('COMMON.SAVE')}
          </BusyButton>
        </Group>
      </div>
    </>
  )
}

/** Replaces a form that this user may not fill in, and says why. */
export const ClosedForm = ({ title, reason }: { title: string; reason: string }) => (
  <Stack>
    <PageTitle>{title}</PageTitle>
    <Alert color="yellow">{reason}</Alert>
  </Stack>
)
