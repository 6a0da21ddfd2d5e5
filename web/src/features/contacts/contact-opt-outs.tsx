import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { Contact } from '@sendroom/contract/contacts'
import type { OptOut } from '@sendroom/contract/opt-outs'
import { IconHandStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { formatDateTime } from '../../format.ts'
import { contactName } from '../../forms/contact-name.ts'
import { endText, scopeText, sourceText } from '../../forms/opt-out-words.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { Section } from '../../ui/section.tsx'
import classes from './contact-page.module.css'

const EndOptOutDialog = lazyComponent(
  async () => (await import('../../forms/end-opt-out-dialog.tsx')).EndOptOutDialog,
)
const OptOutDialog = lazyComponent(async () => (await import('./opt-out-dialog.tsx')).OptOutDialog)

/** More than that nobody has, or reads here. The list of opt-outs has all. */
const SHOWN = 20
const REFRESH_MS = 30_000

/** Whether the person has opted out, since when and by what words, and what was before. */
export function ContactOptOuts({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const [ending, setEnding] = useState<OptOut | null>(null)
  const [isEntering, setEntering] = useState(false)
  const { data, isError, refetch } = useRead(
    'POST /opt-outs/search',
    { body: { contactId: contact.id, pageSize: SHOWN } },
    { refetchInterval: REFRESH_MS, meta: { isQuiet: true } },
  )
  const rows = data?.data ?? []
  const isOut = rows.some(({ holds }) => holds)
  return (
    <Section title={t('OPT_OUT.TITLE')}>
      <Stack gap="sm">
        {!data && (isError ? <LoadFailed retry={refetch} /> : <Loading />)}
        {data && !isOut && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t(contact.phoneNumbers.length > 0 ? 'OPT_OUT.CONTACT_NONE' : 'OPT_OUT.CONTACT_NO_NUMBER')}
            </Text>
            {contact.phoneNumbers.length > 0 && (
              <Button
                variant="default"
                size="xs"
                leftSection={<IconHandStop size={16} aria-hidden />}
                onClick={() => setEntering(true)}
              >
                {t('OPT_OUT.OPT_OUT')}
              </Button>
            )}
          </Group>
        )}
        {rows.map((row) => (
          <Row key={row.id} row={row} onEnd={() => setEnding(row)} />
        ))}
      </Stack>
      {ending && (
        <EndOptOutDialog optOut={ending} name={contactName(contact)} onClose={() => setEnding(null)} />
      )}
      {isEntering && <OptOutDialog contact={contact} onClose={() => setEntering(false)} />}
    </Section>
  )
}

function Row({ row, onEnd }: { row: OptOut; onEnd: () => void }) {
  const { t } = useTranslation()
  const { holds, words, saidAt, endedAt, endedReason } = row
  return (
    <Group justify="space-between" align="start" gap="xs">
      <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
        <Badge variant="light" color={holds ? 'red' : 'gray'}>
          {t(holds ? 'OPT_OUT.HOLDS' : 'OPT_OUT.HAS_ENDED')}
        </Badge>
        {words && (
          <Text size="sm" className={classes.text ?? ''}>
            <Name>{t('OPT_OUT.QUOTE', { words })}</Name>
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t('OPT_OUT.SINCE_TIME', { time: formatDateTime(saidAt) })}
          {' · '}
          <Name>{sourceText(row)}</Name>
          {' · '}
          <Name>{scopeText(row)}</Name>
        </Text>
        {endedAt && (
          <Text size="xs" c="dimmed">
            <Name>{[endText(row), endedReason].filter(Boolean).join(' ')}</Name>
          </Text>
        )}
      </div>
      {holds && (
        <Button variant="default" size="xs" style={{ flex: 'none' }} onClick={onEnd}>
          {t('OPT_OUT.END')}
        </Button>
      )}
    </Group>
  )
}
