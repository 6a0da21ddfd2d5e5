import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { AuditEntry } from '@sendroom/contract/audit'
import type { MessageContent } from '@sendroom/contract/message-content'
import { useTranslation } from 'react-i18next'
import { formatSecond } from '../../format.ts'
import { type Column, Table } from '../../lists/table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Name } from '../../ui/name.tsx'
import { WhatsAppMessage } from '../../ui/whatsapp-message.tsx'
import { ActionName, ObjectName, useDetailWords } from './audit-words.tsx'

type Props = { entry: AuditEntry; onClose: () => void }

/** Everything that the log knows about one action. */
export function AuditDetails({ entry, onClose }: Props) {
  const { t } = useTranslation()
  const { label, words } = useDetailWords()
  const { text, formerText, changes, image, content, ...facts } = entry.details
  return (
    <Dialog size="lg" title={<ActionName action={entry.action} />} onClose={onClose}>
      <Stack gap="md">
        <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} m={0}>
          <Fact name={t('AUDIT.TIME')}>{formatSecond(entry.at)}</Fact>
          <Fact name={t('AUDIT.USER')}>
            <Name>{entry.userName || '–'}</Name>
          </Fact>
          <Fact name={t('AUDIT.OBJECT')}>
            <ObjectName entry={entry} />
          </Fact>
          <Fact name={t('AUDIT.ADDRESS')}>{entry.address}</Fact>
          {Object.entries(facts).map(([field, value]) => (
            <Fact key={field} name={label(field)}>
              <Name>{words(field, value)}</Name>
            </Fact>
          ))}
        </SimpleGrid>
        <Changes changes={changes} />
        <SentText
          title={t(formerText === undefined ? 'MESSAGE.TEXT' : 'AUDIT.AFTER')}
          text={text}
          image={image}
          content={content}
        />
        <SentText title={t('AUDIT.BEFORE')} text={formerText} />
      </Stack>
    </Dialog>
  )
}

/** The text as it was sent or saved. Its image or file may be gone. */
type SentProps = { title: string; text: unknown; image?: unknown; content?: unknown }

function SentText({ title, text, image, content }: SentProps) {
  if (typeof text !== 'string') return null
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {title}
      </Text>
      <WhatsAppMessage
        text={text}
        imageUrl={typeof image === 'string' ? image : null}
        content={(content as MessageContent | undefined) ?? null} // the server has written the contract's
      />
    </div>
  )
}

type Change = { id: number; field: string; before: unknown; after: unknown }

function Changes({ changes }: { changes: unknown }) {
  const { t } = useTranslation()
  const { label, words } = useDetailWords()
  if (typeof changes !== 'object' || changes === null || Object.keys(changes).length === 0) return null
  const rows = Object.entries(changes).map(([field, [before, after]], id) => ({ id, field, before, after }))
  const columns: Column<Change>[] = [
    { header: 'AUDIT.FIELD', cell: ({ field }) => label(field) },
    { header: 'AUDIT.BEFORE', cell: ({ field, before }) => <Name>{words(field, before)}</Name> },
    { header: 'AUDIT.AFTER', cell: ({ field, after }) => <Name>{words(field, after)}</Name> },
  ]
  return <Table label={t('AUDIT.CHANGES')} columns={columns} rows={rows} />
}
