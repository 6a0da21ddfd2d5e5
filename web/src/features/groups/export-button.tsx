import type { Group } from '@sendroom/contract/groups'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { useDownload } from '../../api/use-download.ts'
import { dayOf } from '../../format.ts'
import { RowActions } from '../../lists/row-actions.tsx'

/** Downloads a group's participants as an Excel file. */
export function ExportButton({ group }: { group: Group }) {
  const { t } = useTranslation()
  const isAllowed = mayDo('canExportParticipants', useCurrentUser())
  const isNever = group.kind === 'channel'
  const notAllowed = isAllowed ? undefined : t('GROUP.EXPORT_NOT_ALLOWED')
  const reason = isNever ? t('ERROR.channel_without_members') : notAllowed
  const save = useDownload({ success: 'GROUP.EXPORTED', failure: 'GROUP.EXPORT_FAILED' }, () =>
    download(
      'GET /groups/:id/participants/export',
      { params: { id: group.id } },
      `Participants_${group.name}_${dayOf(new Date())}.xlsx`,
    ),
  )
  return (
    <RowActions
      actions={[
        {
          label: t('GROUP.EXPORT'),
          icon: IconFileSpreadsheet,
          loading: save.isPending,
          reason,
          isNever,
          onClick: () => save.mutate(),
        },
      ]}
    />
  )
}
