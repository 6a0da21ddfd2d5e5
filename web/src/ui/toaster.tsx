import { useTranslation } from 'react-i18next'
import classes from './toaster.module.css'
import { removeToast, type Toast, useToasts } from './toasts.ts'

/** The toasts, bottom right. The region is always rendered, because screen readers announce only changes within one. */
export function Toaster() {
  const { t } = useTranslation()
  const toasts = useToasts()
  return (
    <section className={classes.region} aria-label={t('COMMON.NOTIFICATIONS')} aria-live="polite">
      {toasts.map((toast) => (
        <ToastBox key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastBox({ toast }: { toast: Toast }) {
  const { t } = useTranslation()
  return (
    <div
      className={classes.toast}
      data-type={toast.type}
      data-theme={toast.theme}
      role={toast.type === 'error' ? 'alert' : 'status'}
    >
      <div className={classes.words}>
        {toast.title && <strong>{toast.title}</strong>}
        {toast.msg && <span>{toast.msg}</span>}
      </div>
      {toast.showClose && (
        <button
          type="button"
          className={classes.close}
          aria-label={t('COMMON.CLOSE')}
          onClick={() => removeToast(toast.id)}
        >
          ×
        </button>
      )}
      {toast.showDuration && (
        <div className={classes.duration} style={{ animationDuration: `${toast.timeout}ms` }} />
      )}
    </div>
  )
}
