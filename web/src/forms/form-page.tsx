import { Button, Group, Paper, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../ui/page-title.tsx'
import classes from './form-page.module.css'

type Props = {
  title: string
  submitText?: string
  /** Required, so that nobody can forget it: a busy form can't be sent twice. */
  isBusy: boolean
  onSubmit: FormEventHandler<HTMLFormElement>
  onCancel: () => void
  /** What belongs to the form and is not filled in: beside it, or below where there is no room. */
  aside?: ReactNode
  children: ReactNode
}

/** The frame of a form page: title, fields, cancel and submit. */
export function FormPage({ title, submitText, isBusy, onSubmit, onCancel, aside, children }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <PageTitle>{title}</PageTitle>
      <div className={classes.columns}>
        <Paper component="form" withBorder p="lg" onSubmit={onSubmit} noValidate>
          <Stack>
            {children}
            <Group justify="flex-end">
              <Button variant="default" onClick={onCancel}>
                {t('COMMON.CANCEL')}
              </Button>
              <Button type="submit" loading={isBusy}>
                {submitText ?? t('COMMON.SAVE')}
              </Button>
            </Group>
          </Stack>
        </Paper>
        {aside}
      </div>
    </>
  )
}
