import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Message } from '@sendroom/contract/messages'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../format.ts'
import { Fact } from '../../ui/fact.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'
import { WhatsAppMessage } from '../../ui/whatsapp-message.tsx'
import classes from './message-view.module.css'

type Props = {
  message: Message
  /** Why the user can't change the message. */
  reason: string
}

/** The whole message, for users who may not change it. */
export function MessageView({ message, reason }: Props) {
  const { t } = useTranslation()
  return (
    <Stack maw={640}>
      <PageTitle>{t('MESSAGE.VIEW_TITLE', { id: message.id })}</PageTitle>
      <Alert color="yellow">{reason}</Alert>
      <Section title={t('MESSAGE.TEXT')}>
        <WhatsAppMessage
          text={message.textContent}
          hasVariables={message.hasVariables}
          imageUrl={message.imageUrl}
          content={message.content}
        />
      </Section>
      <Section title={t('MESSAGE.FACTS')}>
        <SimpleGrid component="dl" cols={{ base: 1, xs: 3 }} m={0}>
          <Fact name={t('MESSAGE.INSTANCE')}>
            {message.isShared && t('MESSAGE.SHARED')}
            {message.instanceName !== null && <Name>{message.instanceName}</Name>}
          </Fact>
          <Fact name={t('MESSAGE.CREATED_BY')}>
            <Name>{message.createdByUserName}</Name>
          </Fact>
          <Fact name={t('MESSAGE.CREATED_AT')}>{formatDateTime(message.createdAt)}</Fact>
        </SimpleGrid>
      </Section>
      <AssignedGroups groups={message.assignedGroups} />
      <Group justify="flex-end">
        <Button variant="default" component={Link} to="/messages">
          {t('MESSAGE.BACK')}
        </Button>
      </Group>
    </Stack>
  )
}

function AssignedGroups({ groups }: { groups: Message['assignedGroups'] }) {
  const { t } = useTranslation()
  return (
    <Section title={t('MESSAGE.GROUPS')}>
      {groups.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('MESSAGE.NO_GROUPS')}
        </Text>
      )}
      {groups.length > 0 && (
        <ul className={classes.groups}>
          {groups.map(({ id, name }) => (
            <li key={id}>
              <Name>{name}</Name>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
