import { Anchor, Text, Title } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { counted } from '../../i18n/words.ts'
import classes from './now.module.css'

type Props<Row> = {
  title: string
  list: { total: number; first: Row[] }
  /** The list page with all of them. */
  all: LinkProps
  children: (row: Row) => ReactNode
}

/** The first rows of a list, and a link to the others. Nothing for an empty list. */
export function NowList<Row>({ title, list: { total, first }, all, children }: Props<Row>) {
  const { t } = useTranslation()
  const id = useId()
  if (first.length === 0) return null
  return (
    <div>
      <Title order={3} size="h6" id={id}>
        {title}
      </Title>
      <ul className={classes.list} aria-labelledby={id}>
        {first.map(children)}
      </ul>
      {total > first.length && (
        <Anchor renderRoot={(props) => <Link {...props} {...all} />} size="sm">
          {t('DASHBOARD.MORE', counted(total - first.length))}
        </Anchor>
      )}
    </div>
  )
}

/** The text of a row: its subject, and a line or two about it. */
export const NowText = ({ subject, children }: { subject: ReactNode; children: ReactNode }) => (
  <div className={classes.text}>
    <Text size="sm" fw={500}>
      {subject}
    </Text>
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  </div>
)
