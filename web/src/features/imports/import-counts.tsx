import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Import } from '@sendroom/contract/imports'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { formatDateTime, formatNumber } from '../../format.ts'
import { DownloadButton } from '../../lists/download-button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Name } from '../../ui/name.tsx'
import { Section } from '../../ui/section.tsx'

type Props = { of: Import }

/** Shows the counts of the check, before anything is stored. */
export function CheckResult({ of }: Props) {
  const { t } = useTranslation()
  const { rows, added, unchanged, twice, refused } = of
  return (
    <Section title={t('IMPORT.CHECK_RESULT', { rows: formatNumber(rows) })}>
      <Counts
        counts={[
          ['IMPORT.WILL_ADD', added],
          ['IMPORT.IS_KNOWN', unchanged],
          ['IMPORT.TWICE', twice],
          ['IMPORT.REFUSED', refused],
        ]}
      />
      <Problems of={of} />
    </Section>
  )
}

/** Shows the counts of the import and of its undoing, and why it was allowed. */
export function ImportResult({ of }: Props) {
  const { t } = useTranslation()
  const { added, changed, unchanged, twice, refused, list, tags, known, consent, undone } = of
  return (
    <>
      {undone && (
        <Section title={t('IMPORT.UNDONE')}>
          <Counts
            counts={[
              ['IMPORT.UNDONE_REMOVED', undone.removed],
              ['IMPORT.UNDONE_KEPT', undone.kept],
              ['IMPORT.UNDONE_GONE', undone.gone],
            ]}
          />
          {undone.gone > 0 && (
            <Text size="sm" c="dimmed" mt="xs">
              {t('IMPORT.UNDONE_GONE_HINT')}
            </Text>
          )}
        </Section>
      )}
      <Section title={t('IMPORT.RESULT')}>
        {of.endedAt && (
          <Counts
            counts={[
              ['IMPORT.ADDED', added],
              ['IMPORT.CHANGED', changed],
              ['IMPORT.UNCHANGED', unchanged],
              ['IMPORT.TWICE', twice],
              ['IMPORT.REFUSED', refused],
            ]}
          />
        )}
        <Problems of={of} />
        <Stack component="dl" gap="sm" mt="md" mb={0}>
          <Fact name={t('IMPORT.KNOWN')}>{known && t(`IMPORT.KNOWN_${known.toUpperCase()}`)}</Fact>
          {list && (
            <Fact name={t('IMPORT.LIST')}>
              <Name>{list.name}</Name>
            </Fact>
          )}
          {tags.length > 0 && (
            <Fact name={t('IMPORT.TAGS')}>
              <Group gap={4}>
                {tags.map((tag) => (
                  <Badge key={tag} variant="light" color="gray" tt="none">
                    {tag}
                  </Badge>
                ))}
              </Group>
            </Fact>
          )}
          <Fact
            name={t('IMPORT.CONSENT_OF', {
              user: of.startedByUserName,
              time: formatDateTime(of.startedAt),
            })}
          >
            <Name>{consent}</Name>
          </Fact>
        </Stack>
      </Section>
    </>
  )
}

function Counts({ counts }: { counts: [key: string, count: number][] }) {
  const { t } = useTranslation()
  return (
    <SimpleGrid component="dl" cols={{ base: 2, xs: 3, md: 5 }} m={0}>
      {counts.map(([key, count]) => (
        <Fact key={key} name={t(key)}>
          {formatNumber(count)}
        </Fact>
      ))}
    </SimpleGrid>
  )
}

/** The rows that were not imported, as a file. */
function Problems({ of: { id, hasProblems } }: Props) {
  const { t } = useTranslation()
  if (!hasProblems) return null
  return (
    <Group mt="md">
      <DownloadButton
        text={t('IMPORT.DOWNLOAD_PROBLEMS')}
        words={{ success: 'IMPORT.DOWNLOADED', failure: 'IMPORT.DOWNLOAD_FAILED' }}
        save={() => download('GET /imports/:id/problems', { params: { id } }, 'import.csv')}
      />
    </Group>
  )
}
