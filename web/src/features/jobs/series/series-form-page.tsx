import type { Series } from '@sendroom/contract/series'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../../address.ts'
import { call } from '../../../api/client.ts'
import { mayDo, useCurrentUser } from '../../../api/session.ts'
import { useAction } from '../../../api/use-action.ts'
import { ClosedForm } from '../../../forms/form-page.tsx'
import { useFormData } from '../../../forms/use-form-data.ts'
import { useVersioned } from '../../../forms/use-versioned.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { compareSeries } from './compare-series.tsx'
import { SeriesForm } from './series-form.tsx'
import { blankSeries, bodyOf, type SeriesValues, valuesOf } from './series-values.ts'

/** Edits the series whose id is in the address, or else creates one. */
export function SeriesFormPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false }))
  if (!mayDo('canCreateJobs', useCurrentUser()))
    return <ClosedForm title={t('SERIES.TITLE')} reason={t('SERIES.NOT_ALLOWED')} />
  return id === null ? <NewSeriesForm /> : <EditSeries key={id} id={id} />
}

function NewSeriesForm() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const create = useAction('POST /series', { success: 'SERIES.CREATED', failure: 'SERIES.SAVE_FAILED' })
  return (
    <SeriesForm
      title={t('SERIES.CREATE_TITLE')}
      submitText={t('SERIES.CREATE')}
      initialValues={blankSeries()}
      save={(values) => create.mutateAsync({ body: bodyOf(values) })}
      leave={() => navigate({ to: '/series' })}
    />
  )
}

function EditSeries({ id }: { id: number }) {
  const data = useFormData(
    'GET /series/:id',
    { params: { id } },
    { words: 'SERIES.LOAD_FAILED', leaveTo: '/series' },
  )
  return data ? <EditLoaded loaded={data} /> : <Loading />
}

function EditLoaded({ loaded }: { loaded: Series }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const params = { id: loaded.id }
  const update = useAction('PUT /series/:id', { success: 'SERIES.SAVED', failure: 'SERIES.SAVE_FAILED' })
  const { record, save, dialog } = useVersioned({
    loaded,
    read: () => call('GET /series/:id', { params }),
    send: (values: SeriesValues, version) =>
      update.mutateAsync({ params, body: { ...bodyOf(values), version: version.current } }),
    compare: compareSeries,
  })
  return (
    <>
      <SeriesForm
        key={record.version}
        title={t('SERIES.EDIT_TITLE')}
        submitText={t('COMMON.SAVE')}
        series={record}
        initialValues={valuesOf(record)}
        save={save}
        leave={() => navigate({ to: '/series/$id', params: { id: String(loaded.id) } })}
      />
      {dialog}
    </>
  )
}
