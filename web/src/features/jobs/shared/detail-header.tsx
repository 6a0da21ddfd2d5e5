import { ActionIcon, Button, Group, Loader } from '@mantine/core'
import { IconArrowLeft, type TablerIcon } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { busyProps, disabledProps, ignoreDoubleClick } from '../../../ui/button-props.ts'
import { PageTitle } from '../../../ui/page-title.tsx'
import classes from './detail-header.module.css'

type Props = {
  back: { to: LinkProps['to']; label: string }
  title: string
  badge: ReactNode
  /** The buttons. */
  children: ReactNode
}

/** The top of a page of one job or series: the way back to the list, the title, its state and the actions. */
export const DetailHeader = ({ back, title, badge, children }: Props) => (
  <Group justify="space-between">
    <Group gap="xs">
      <ActionIcon
        component={Link}
        to={back.to}
        variant="subtle"
        color="gray"
        size="lg"
        ml="-xs"
        aria-label={back.label}
        title={back.label}
      >
        <IconArrowLeft size={20} aria-hidden />
      </ActionIcon>
      <PageTitle>{title}</PageTitle>
      {badge}
    </Group>
    <Group gap="xs" className={classes.buttons}>
      {children}
    </Group>
  </Group>
)

type ButtonProps = {
  /** A translation key. */
  label: string
  icon: TablerIcon
  action: { isPending: boolean; ask: () => unknown }
  /** Translation key of the reason why the action is unavailable. */
  disabledReason: string | undefined
}

export function ActionButton({ label, icon: Icon, action, disabledReason }: ButtonProps) {
  const { t } = useTranslation()
  return (
    <Button
      variant="default"
      leftSection={
        action.isPending ? <Loader size={16} color="currentcolor" /> : <Icon size={16} aria-hidden />
      }
      onClick={ignoreDoubleClick(action.ask)}
      {...(disabledReason !== undefined && disabledProps(t(disabledReason)))}
      {...(action.isPending && busyProps)}
    >
      {t(label)}
    </Button>
  )
}
