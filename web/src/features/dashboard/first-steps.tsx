import { Button, CloseButton, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import type { DashboardStats } from '@sendroom/contract/dashboard'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../api/client.ts'
import { useGuideHidden } from '../../api/guide-hidden.ts'
import { isAdmin, mayDo, type SessionUser, useCurrentUser } from '../../api/session.ts'
import classes from './first-steps.module.css'

type Step = {
  /** The middle part of the step's translation keys. */
  key: 'LINK' | 'SYNC' | 'WRITE' | 'SEND'
  isDone: boolean
  /** Translation keys of the hint and the button, if they differ from the step's own. */
  hint?: string
  button?: string
  /** Where the step's button leads. Null if somebody else has to do the step. */
  to: LinkProps['to'] | null
}

type Props = { stats: DashboardStats; loading: ReactNode; children: ReactNode }

/**
 * Guides a new user to the first message. The guide disappears when all steps are done, or when the user hides it.
 * `children` are rendered together with the guide, so that it does not push them down later.
 */
export function FirstSteps(props: Props) {
  const user = useCurrentUser()
  return user && <Steps key={user.id} user={user} {...props} />
}

function Steps({ stats, user, loading, children }: Props & { user: SessionUser }) {
  const [isHidden, setIsHidden] = useGuideHidden(user)
  const { instances, isLoading } = useInstances(stats, !isHidden)
  if (isLoading) return loading
  const steps = isHidden || !instances ? [] : stepsFor(user, stats, instances)
  return (
    <>
      {steps.some(({ isDone }) => !isDone) && <Guide steps={steps} onHide={() => setIsHidden(true)} />}
      {children}
    </>
  )
}

function Guide({ steps, onHide }: { steps: Step[]; onHide: () => void }) {
  const { t } = useTranslation()
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Paper withBorder p="lg" component="section" className={classes.guide} aria-labelledby="first-steps">
      <Title id="first-steps" order={2} size="h4" pr="xl">
        {t(steps.at(-1)?.key === 'SEND' ? 'GUIDE.TITLE' : 'GUIDE.TITLE_MEMBER')}
      </Title>
      <CloseButton
        className={classes.dismiss}
        aria-label={t('GUIDE.DISMISS')}
        title={t('GUIDE.DISMISS')}
        onClick={onHide}
      />
      <SimpleGrid component="ol" cols={{ base: 1, md: steps.length }} className={classes.steps}>
        {steps.map((step, place) => (
          <StepItem key={step.key} step={step} number={place + 1} isNext={step === next} />
        ))}
      </SimpleGrid>
    </Paper>
  )
}

function StepItem({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) {
  const { t } = useTranslation()
  const { key, isDone, hint = `GUIDE.${key}_HINT`, button = `GUIDE.${key}_BUTTON`, to } = step
  return (
    <li className={classes.step} data-done={isDone || undefined} aria-current={isNext ? 'step' : undefined}>
      <span className={classes.number}>
        {isDone ? <IconCheck size={16} role="img" aria-label={t('GUIDE.DONE')} /> : number}
      </span>
      <div>
        <Text fw={600}>{t(`GUIDE.${key}`)}</Text>
        <Text size="sm" c="dimmed">
          {t(hint)}
        </Text>
        {isNext && to && (
          <Button component={Link} to={to} size="xs" mt="sm">
            {t(button)}
          </Button>
        )}
      </div>
    </li>
  )
}

type Instances = { count: number; isLinked: boolean }

function stepsFor(user: SessionUser, stats: DashboardStats, instances: Instances): Step[] {
  const steps: Step[] = [
    { key: 'LINK', isDone: instances.isLinked, ...linkStep(user, instances) },
    { key: 'SYNC', isDone: stats.totalGroups > 0, to: '/groups' },
  ]
  // The form for a job writes the message, too.
  if (mayDo('canCreateJobs', user)) steps.push({ key: 'SEND', isDone: stats.totalJobs > 0, to: '/jobs/new' })
  else if (mayDo('canWriteMessages', user))
    steps.push({ key: 'WRITE', isDone: stats.totalMessages > 0, to: '/messages/new' })
  return steps
}

function linkStep(user: SessionUser, { count }: Instances): Pick<Step, 'hint' | 'button' | 'to'> {
  if (count > 0 && !mayDo('canLinkAccounts', user)) return { hint: 'ACCOUNT.LINK_NOT_ALLOWED', to: null }
  if (count > 0) return { button: 'GUIDE.SCAN_BUTTON', to: '/instances' }
  return isAdmin(user) ? { to: '/instances/new' } : { hint: 'GUIDE.LINK_ASK', to: null }
}

/** Reads the instances only if there are no groups. Whoever has groups has already linked an instance. */
function useInstances({ totalGroups }: DashboardStats, isWanted: boolean) {
  const { data, isLoading } = useQuery({
    // The key starts like the list's, so that the same events refresh both.
    queryKey: ['instances', 'list', 'first-steps'],
    queryFn: ({ signal }) =>
      call('GET /instances', { query: { page: 1, pageSize: 100, sortBy: 'createdAt' } }, signal),
    enabled: isWanted && totalGroups === 0,
    meta: { isQuiet: true },
  })
  const loaded = data && {
    count: data.pagination.totalCount,
    isLinked: data.data.some(({ status }) => status === 'Connected'),
  }
  return { instances: totalGroups > 0 ? { count: 1, isLinked: true } : loaded, isLoading }
}
