import i18next from 'i18next'
import classes from './crash.module.css'

/** Replaces a page that threw an error or could not be loaded. English fallbacks: the texts may be missing too. */
export const Crash = () => (
  <div role="alert" className={classes.crash}>
    <p>{i18next.t('COMMON.CRASHED') || 'Sendroom could not be loaded. Check your connection.'}</p>
    <button type="button" className={classes.reload} onClick={() => window.location.reload()}>
      {i18next.t('COMMON.RELOAD') || 'Reload'}
    </button>
  </div>
)
