import { Button, Group, Paper, Stack } from '@mantine/core'
import { type FormEventHandler, type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../ui/busy-button.tsx'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './form-page.module.css'

type Props = {
  title: string
  submitText?: string
  /** Required, so that nobody can forget it: a busy form can't be sent twice. */
  isBusy: boolean
  onSubmit: FormEventHandler<HTMLFormElement>
  onCancel: () => void
  /** What belongs to the form and is not filled in: beside it, or between fields and buttons. */
  aside?: ReactNode
  children: ReactNode
}

/** The frame of a form page: title, fields, what there is to read before one sends, cancel and submit. */
export function FormPage({ title, submitText, isBusy, onSubmit, onCancel, aside, children }: Props) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <div className={classes.columns}>
        <Paper component="form" id={id} withBorder p="lg" onSubmit={onSubmit} noValidate>
          {/* What is typed while it is sent would be lost. */}
          <fieldset disabled={isBusy} className={classes.fields}>
            <Stack>{children}</Stack>
          </fieldset>
        </Paper>
        {aside && <div className={classes.aside}>{aside}</div>}
        {/* Outside of the form, for what stands aside may be a form of its own. */}
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
