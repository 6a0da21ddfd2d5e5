import type { Group } from '@sendroom/contract/groups'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { reportFailure } from '../../api/failure.ts'
import { mayDo, useCurrentUser } from '../../api/session.ts'
import { SUCCESS_MS } from '../../api/use-action.ts'
import { dayOf } from '../../format.ts'
import { RowActions } from '../../lists/row-actions.tsx'
import { addToast } from '../../ui/toasts.ts'

/** Downloads a group's participants as an Excel file. */
export function ExportButton({ group }: { group: Group }) {
  const { t } = useTranslation()
  const isAllowed = mayDo('canExportParticipants', useCurrentUser())
  const save = useMutation({
    mutationFn: () =>
      download(
        'GET /groups/:id/participants/export',
        { params: { id: group.id } },
        `Participants_${group.name}_${dayOf(new Date())}.xlsx`,
      ),
    onSuccess: () => addToast({ type: 'success', msg: t('GROUP.EXPORTED'), timeout: SUCCESS_MS }),
    onError: (error) => reportFailure(error, 'GROUP.EXPORT_FAILED'),
  })
  return (
    <RowActions
      actions={[
        {
          label: t('GROUP.EXPORT', { name: group.name }),
          icon: IconFileSpreadsheet,
          loading: save.isPending,
          reason: isAllowed ? undefined : t('GROUP.EXPORT_NOT_ALLOWED'),
          onClick: () => save.mutate(),
        },
      ]}
    />
  )
}
