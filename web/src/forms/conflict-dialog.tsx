import { Button, Group, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/dialog.tsx'
import type { Difference } from './differences.tsx'

/** `neither` returns to the form, where the typed values are still there. */
export type Choice = 'mine' | 'theirs' | 'neither'

export type Conflict = { differences: Difference[]; choose: (choice: Choice) => void }

/** Asks whose values to keep when somebody else has saved the same record meanwhile. */
export function ConflictDialog({ differences, choose }: Conflict) {
  const { t } = useTranslation()
  return (
    <Dialog size="lg" title={t('FORM.STALE_TITLE')} onClose={() => choose('neither')}>
      <Text>{t('FORM.STALE')}</Text>
      <Table layout="fixed" verticalSpacing="xs" my="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('FORM.STALE_FIELD')}</Table.Th>
            <Table.Th>{t('FORM.MINE')}</Table.Th>
            <Table.Th>{t('FORM.THEIRS')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', verticalAlign: 'top' }}>
          {differences.map(({ label, mine, theirs }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td>{mine}</Table.Td>
              <Table.Td>{theirs}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => choose('neither')}>
          {t('COMMON.CANCEL')}
        </Button>
        <Button variant="default" onClick={() => choose('theirs')}>
          {t('FORM.LOAD_THEIRS')}
        </Button>
        <Button color="orange" onClick={() => choose('mine')}>
          {t('FORM.OVERWRITE')}
        </Button>
      </Group>
    </Dialog>
  )
}
