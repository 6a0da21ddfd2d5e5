import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { advisedPace, type Pace } from '@sendroom/contract/pace'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TimeZoneSelect } from '../../forms/time-zone-select.tsx'
import type { InstanceValues } from './instance-values.ts'
import { KindPace } from './kind-pace.tsx'
import { isFasterThanAdvised, kinds, lacksLimits, paceWords } from './pace.ts'
import classes from './pace-section.module.css'
import { PeopleLimits } from './people-limits.tsx'

type Props = {
  form: UseFormReturnType<InstanceValues>
  /** The default pace for this kind of instance. */
  defaults: Pace
  /** A test instance sends nothing to WhatsApp, so no pace is too fast for it. */
  isTest: boolean
}

const fields = /^(groupPauseSeconds|private|dailyCap|person|newPeopleCap|quietHours|timeZone)/
const defaultQuietHours = { from: '22:00', to: '07:00' }

/** The pace settings. Folded at first, since most users never change them. The heading shows the throughput. */
export function PaceSection({ form, defaults, isTest }: Props) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const { values, errors } = form
  useEffect(() => {
    // Unfolds for errors, so that they are visible.
    if (Object.keys(errors).some((field) => fields.test(field))) setOpen(true)
  }, [errors])
  const isRisky = !isTest && kinds.some((kind) => isFasterThanAdvised(values, kind, advisedPace))
  return (
    <details
      className={classes.section}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Text component="span" size="sm" fw={500}>
          {t('ACCOUNT_FORM.PACE')}
        </Text>
        <Text component="span" size="xs" c="dimmed">
          {kinds.map((kind) => (
            <span key={kind} className={classes.meaning}>
              {t('ACCOUNT_FORM.PACE_OF', {
                kind: t(`ACCOUNT_FORM.PACE_${kind.toUpperCase()}`),
                pace: paceWords(values, kind),
              })}
            </span>
          ))}
        </Text>
      </summary>
      <Stack mt="sm">
        <Text size="sm" c="dimmed">
          {t('ACCOUNT_FORM.PACE_HINT')}
        </Text>
        {kinds.map((kind) => (
          <KindPace key={kind} kind={kind} form={form} />
        ))}
        <PeopleLimits form={form} isTest={isTest} />
        {!isTest && lacksLimits(values) && <Alert color="orange">{t('ACCOUNT_FORM.LIMITS_NONE')}</Alert>}
        {isRisky && <Alert color="orange">{t('ACCOUNT_FORM.PACE_HASTY', adviceParams)}</Alert>}
        {JSON.stringify({ ...values, ...defaults }) !== JSON.stringify(values) && (
          <Group>
            <Button variant="default" size="compact-sm" onClick={() => form.setValues(defaults)}>
              {t('ACCOUNT_FORM.PACE_USUAL')}
            </Button>
          </Group>
        )}
        <QuietHours form={form} />
        {/* Rendered only while open: its hundreds of options would slow down typing in the other fields. */}
        {isOpen && (
          <TimeZoneSelect hint={t('ACCOUNT_FORM.TIME_ZONE_HINT')} {...form.getInputProps('timeZone')} />
        )}
      </Stack>
    </details>
  )
}

const adviceParams = {
  groups: advisedPace.groupPauseSeconds.join('–'),
  people: advisedPace.privatePauseSeconds.join('–'),
  cap: advisedPace.dailyCap.private,
}

type FormProps = Pick<Props, 'form'>

function QuietHours({ form }: FormProps) {
  const { t } = useTranslation()
  const { quietHours } = form.values
  return (
    <>
      <Checkbox
        label={t('ACCOUNT_FORM.QUIET')}
        description={t('ACCOUNT_FORM.QUIET_HINT')}
        checked={quietHours !== null}
        onChange={(event) =>
          form.setFieldValue('quietHours', event.currentTarget.checked ? defaultQuietHours : null)
        }
      />
      {quietHours !== null && (
        <div className={classes.pair}>
          <TextInput
            label={t('ACCOUNT_FORM.QUIET_FROM')}
            type="time"
            {...form.getInputProps('quietHours.from')}
          />
          <TextInput
            label={t('ACCOUNT_FORM.QUIET_TO')}
            type="time"
            {...form.getInputProps('quietHours.to')}
          />
        </div>
      )}
    </>
  )
}
