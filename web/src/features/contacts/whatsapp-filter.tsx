import { NativeSelect } from '@mantine/core'
import { type NumberAnswer, numberAnswers } from '@sendroom/contract/number-answers'
import { useTranslation } from 'react-i18next'

type Props = { chosen: NumberAnswer | undefined; onChange: (answer: NumberAnswer | undefined) => void }

/** Filters contacts by what the last check of their number has said. */
export function WhatsappFilter({ chosen, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      aria-label={t('NUMBER_CHECK.FILTER')}
      value={chosen ?? ''}
      onChange={({ currentTarget: { value } }) => onChange(numberAnswers.find((answer) => answer === value))}
      data={[
        { value: '', label: t('NUMBER_CHECK.FILTER') },
        ...numberAnswers.map((value) => ({ value, label: t(`NUMBER_CHECK.${value.toUpperCase()}`) })),
      ]}
    />
  )
}
