import { Input, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { limits } from '@sendroom/contract/limits'
import { useTranslation } from 'react-i18next'
import type { InstanceValues } from './instance-values.ts'
import { NumberField } from './number-field.tsx'
import { type Kind, paceWords, pauseOf } from './pace.ts'
import classes from './pace-section.module.css'

type Props = { kind: Kind; form: UseFormReturnType<InstanceValues> }

/** The pause and daily cap for one kind of chat, with the resulting throughput. */
export function KindPace({ kind, form }: Props) {
  const { t } = useTranslation()
  const pause = pauseOf[kind]
  const [from, to] = form.values[pause]
  const errors = [pause, `${pause}.0`, `${pause}.1`, `dailyCap.${kind}`].map((path) => ({
    path,
    text: form.getInputProps(path).error,
  }))
  const hasError = (path: string) => errors.some((error) => error.path.startsWith(path) && error.text)
  const clear = (path: string) => {
    for (const error of errors) if (error.path.startsWith(path)) form.clearFieldError(error.path)
  }
  const setPause = (range: [number, number]) => {
    form.setFieldValue(pause, range)
    clear(pause)
  }
  const setCap = (cap: number) => {
    form.setFieldValue('dailyCap', { ...form.values.dailyCap, [kind]: cap })
    clear('dailyCap')
  }
  const common = { max: limits.pauseSeconds, isWrong: hasError(pause) }
  return (
    <fieldset className={classes.kind}>
      <legend>{t(`ACCOUNT_FORM.PACE_${kind.toUpperCase()}`)}</legend>
      <div className={classes.numbers}>
        <NumberField
          label={t('ACCOUNT_FORM.PAUSE_FROM')}
          value={from}
          onChange={(value) => setPause([value, to])}
          {...common}
        />
        <NumberField
          label={t('ACCOUNT_FORM.PAUSE_TO')}
          value={to}
          onChange={(value) => setPause([from, value])}
          {...common}
        />
        <NumberField
          label={t('ACCOUNT_FORM.CAP')}
          value={form.values.dailyCap[kind]}
          max={limits.dailyCap}
          isWrong={hasError('dailyCap')}
          onChange={setCap}
        />
      </div>
      {[...new Set(errors.map(({ text }) => text).filter(Boolean))].map((text) => (
        <Input.Error key={String(text)} mt={4}>
          {text}
        </Input.Error>
      ))}
      <Text size="xs" c="dimmed" mt={4}>
        {paceWords(form.values, kind)}
      </Text>
    </fieldset>
  )
}
