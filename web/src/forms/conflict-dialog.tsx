import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/dialog.tsx'
import classes from './conflict-dialog.module.css'
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
      <table className={classes.fields}>
        <thead>
          <tr>
            <th scope="col">{t('FORM.STALE_FIELD')}</th>
            <th scope="col">{t('FORM.MINE')}</th>
            <th scope="col">{t('FORM.THEIRS')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ label, mine, theirs }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{mine}</td>
              <td>{theirs}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
