import { Alert, Button, Checkbox, Group, Input, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { warmUpSteps } from '@sendroom/contract/pace'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InstanceValues } from './instance-values.ts'
import { limitFields } from './limit-fields.ts'
import { NumberField } from './number-field.tsx'
import classes from './pace-section.module.css'

type Form = UseFormReturnType<InstanceValues>

/** The limits of messages to people that protect the account, and its warm-up. A test account needs none. */
export function PeopleLimits({ form, isTest }: { form: Form; isTest: boolean }) {
  const { t } = useTranslation()
  const wrong = [...limitFields.map(([name]) => name), 'privateSlowPauseSeconds'] as const
  const errors = wrong.map((name) => form.getInputProps(name).error).filter(Boolean)
  const [from, to] = form.values.privateSlowPauseSeconds
  const setPause = (range: [number, number]) => {
    form.setFieldValue('privateSlowPauseSeconds', range)
    form.clearFieldError('privateSlowPauseSeconds')
  }
  const pause = {
    max: limits.pauseSeconds,
    isWrong: Boolean(form.getInputProps('privateSlowPauseSeconds').error),
  }
  return (
    <fieldset className={classes.kind}>
      <legend>{t('ACCOUNT_FORM.LIMITS')}</legend>
      <Text size="xs" c="dimmed" mb={4}>
        {t('ACCOUNT_FORM.LIMITS_HINT')}
      </Text>
      <div className={classes.limits}>
        {limitFields.map(([name, label, max]) => (
          <NumberField
            key={name}
            label={t(`ACCOUNT_FORM.${label}`)}
            value={form.values[name]}
            max={max}
            isWrong={Boolean(form.getInputProps(name).error)}
            onChange={(value) => form.setFieldValue(name, value)}
          />
        ))}
        <NumberField
          label={t('ACCOUNT_FORM.SLOW_FROM')}
          value={from}
          onChange={(value) => setPause([value, to])}
          {...pause}
        />
        <NumberField
          label={t('ACCOUNT_FORM.SLOW_TO')}
          value={to}
          onChange={(value) => setPause([from, value])}
          {...pause}
        />
      </div>
      {[...new Set(errors.map(String))].map((text) => (
        <Input.Error key={text} mt={4}>
          {text}
        </Input.Error>
      ))}
      {!isTest && <WarmUp form={form} />}
      <AdvertisingRules form={form} />
    </fieldset>
  )
}

function WarmUp({ form }: { form: Form }) {
  const { t } = useTranslation()
  const { warmUpStep } = form.values
  return (
    <Checkbox
      mt="sm"
      label={t('ACCOUNT_FORM.USED_BEFORE')}
      description={t('ACCOUNT_FORM.USED_BEFORE_HINT', { step: warmUpStep ?? warmUpSteps[0] })}
      checked={warmUpStep === null}
      onChange={(event) =>
        form.setFieldValue(
          'warmUpStep',
          event.currentTarget.checked ? null : (form.getInitialValues().warmUpStep ?? warmUpSteps[0]),
        )
      }
    />
  )
}

/** Decree 91/2020 of Vietnam. Whether it holds for WhatsApp is for a lawyer to say. */
function AdvertisingRules({ form }: { form: Form }) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  const take = () => {
    form.setValues({ quietHours: { from: '22:00', to: '07:00' }, personCap: 3 })
    setShown(true)
  }
  return (
    <>
      <Group mt="sm">
        <Button variant="default" size="compact-sm" onClick={take}>
          {t('ACCOUNT_FORM.VN_RULES')}
        </Button>
      </Group>
      {isShown && (
        <Alert mt="xs" role="status">
          {t('ACCOUNT_FORM.VN_RULES_HINT')}
        </Alert>
      )}
    </>
  )
}
