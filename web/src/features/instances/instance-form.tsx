import { Checkbox, PasswordInput, TextInput } from '@mantine/core'
import { testTokenPrefix } from '@sendroom/contract/instance-status'
import type { InstanceChange, NewInstance } from '@sendroom/contract/instances'
import { limits } from '@sendroom/contract/limits'
import { advisedPace, type Pace, testPace, warmUpSteps } from '@sendroom/contract/pace'
import { isMaskedToken } from '@sendroom/contract/whapi-token'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayOf } from '../../format.ts'
import { FormPage } from '../../forms/form-page.tsx'
import { HALF_TYPED, shouldReadDate } from '../../forms/half-typed-date.ts'
import { useContractForm } from '../../forms/use-contract-form.ts'
import { ApprovalFields } from './approval-fields.tsx'
import { type InstanceValues, paceOf } from './instance-values.ts'
import { PaceSection } from './pace-section.tsx'

type Props = {
  title: string
  schema: typeof NewInstance | typeof InstanceChange
  initialValues: InstanceValues
  /** Whether the saved token is for test mode, which its last letters don't say. */
  isTest?: boolean
  approverCount?: number
  save: (values: InstanceValues) => Promise<unknown>
  /** Shown before the fields. */
  children?: ReactNode
}

export function InstanceForm(props: Props) {
  const { title, schema, initialValues, isTest = false, approverCount, save, children } = props
  const { t } = useTranslation()
  const navigate = useNavigate()
  const toList = () => navigate({ to: '/instances' })
  const { form, onSubmit } = useContractForm(schema, {
    initialValues,
    send: save,
    onSent: toList,
  })
  const { whapiToken } = form.values
  const [isTokenVisible, setTokenVisible] = useState(false)
  const isMasked = isMaskedToken(whapiToken)
  const isTestMode = (token: string) => (isMaskedToken(token) ? isTest : isTestToken(token))
  const defaultPace = (token: string): Pace => (isTestMode(token) ? testPace : advisedPace)
  const defaults = defaultPace(whapiToken)

  const changeToken = (token: string) => {
    // An unchanged pace follows the kind of instance. The token is set last, because `setValues` clears its error.
    const isDefault = JSON.stringify(paceOf(form.values)) === JSON.stringify(defaults)
    if (isDefault && defaultPace(token) !== defaults)
      form.setValues({ ...defaultPace(token), warmUpStep: isTestMode(token) ? null : warmUpSteps[0] })
    form.setFieldValue('whapiToken', token)
  }

  const expiry = useRef<HTMLInputElement>(null)
  const { expiredTime: firstExpiry } = form.getInitialValues()
  const readExpiry = () => {
    if (expiry.current) form.setFieldValue('expiredTime', expiryIn(expiry.current, firstExpiry))
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (expiry.current && shouldReadDate(expiry.current)) readExpiry()
    onSubmit(event)
  }

  return (
    <FormPage title={title} isBusy={form.submitting} onSubmit={submit} onCancel={toList}>
      {children}
      <TextInput
        label={t('ACCOUNT_FORM.NAME')}
        required
        maxLength={limits.instanceName}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('ACCOUNT_FORM.NUMBER')}
        placeholder={t('ACCOUNT_FORM.NUMBER_PLACEHOLDER')}
        type="tel"
        maxLength={limits.whatsAppNumber}
        {...form.getInputProps('whatsAppNumber')}
      />
      <PasswordInput
        label={t('ACCOUNT_FORM.TOKEN')}
        description={t('ACCOUNT_FORM.TOKEN_HINT')}
        required
        autoComplete="off"
        maxLength={limits.whapiToken}
        // The field has only the end of the stored token, which is no secret and tells which one it is.
        visible={isMasked || isTokenVisible}
        onVisibilityChange={setTokenVisible}
        rightSection={isMasked ? <span /> : undefined}
        visibilityToggleButtonProps={{ 'aria-label': t('COMMON.SHOW_PASSWORD') }}
        {...form.getInputProps('whapiToken')}
        // A typed token replaces the stored one.
        onFocus={({ currentTarget: field }) => isMaskedToken(field.value) && field.select()}
        onChange={(event) => changeToken(event.currentTarget.value)}
      />
      <TextInput
        label={t('ACCOUNT_FORM.EXPIRY')}
        description={t('ACCOUNT_FORM.EXPIRY_HINT')}
        type="date"
        // A year begins with zeros while it is typed. `min` makes such a date invalid.
        min="2000-01-01"
        max="9999-12-31"
        error={form.getInputProps('expiredTime').error}
        // Uncontrolled, because only the browser can hold a half-typed date.
        ref={expiry}
        defaultValue={dayIn(firstExpiry)}
        onChange={readExpiry}
        onBlur={readExpiry}
      />
      <Checkbox
        label={t('ACCOUNT_FORM.IS_ACTIVE')}
        {...form.getInputProps('isActive', { type: 'checkbox' })}
      />
      <ApprovalFields form={form} approverCount={approverCount} />
      <PaceSection form={form} defaults={defaults} isTest={isTestMode(whapiToken)} />
    </FormPage>
  )
}

const isTestToken = (token: string) => token.trim().startsWith(testTokenPrefix)
const dayIn = (instant: string | null) => (instant && instant !== HALF_TYPED ? dayOf(new Date(instant)) : '')

/** The end of the chosen day in Vietnam. An unchanged day keeps its original time. */
function expiryIn({ value, validity }: HTMLInputElement, first: string | null): string | null {
  if (!validity.valid) return HALF_TYPED
  if (value === '') return null
  return value === dayIn(first) ? first : new Date(`${value}T23:59:59+07:00`).toISOString()
}
