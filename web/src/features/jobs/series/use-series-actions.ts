import type { SeriesRow } from '@sendroom/contract/series'
import i18next from 'i18next'
import { useAction } from '../../../api/use-action.ts'
import { confirm } from '../../../ui/confirm.ts'

type Of = Pick<SeriesRow, 'id' | 'name'>

/** The actions on one series. Those that can't be undone ask first. */
export function useSeriesActions({ id, name }: Of) {
  const { t } = i18next
  const failure = 'SERIES.ACTION_FAILED'
  const pause = useAction('POST /series/:id/pause', { success: 'SERIES.PAUSED', failure })
  const resume = useAction('POST /series/:id/resume', { success: 'SERIES.RESUMED', failure })
  const end = useAction('POST /series/:id/end', { success: 'SERIES.ENDED', failure })
  const remove = useAction('DELETE /series/:id', { success: 'SERIES.DELETED', failure })
  const input = { params: { id } }
  return {
    pause: { isPending: pause.isPending, ask: () => pause.mutate(input) },
    resume: { isPending: resume.isPending, ask: () => resume.mutate(input) },
    end: {
      isPending: end.isPending,
      ask: async () => {
        const isSure = await confirm({
          title: t('SERIES.END'),
          message: t('SERIES.CONFIRM_END', { name }),
          confirmText: t('SERIES.END'),
          confirmColor: 'orange',
        })
        if (isSure) end.mutate(input)
      },
    },
    remove: {
      isPending: remove.isPending,
      ask: async (onRemoved?: () => void) => {
        const isSure = await confirm({
          title: t('SERIES.DELETE_TITLE'),
          message: t('SERIES.CONFIRM_DELETE', { name }),
          confirmText: t('COMMON.DELETE'),
          confirmColor: 'red',
        })
        if (isSure) remove.mutate(input, { onSuccess: () => onRemoved?.() })
      },
    },
  }
}
