import { ActionIcon } from '@mantine/core'
import { IconMicrophone, IconMusic, IconPlayerPause, IconPlayerPlay, IconVideo } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatLength } from '../format.ts'
import classes from './whatsapp-player.module.css'

type Props = {
  url: string
  /** Null if the file does not tell. */
  seconds: number | null
}

/** A video with its first frame. Where the browser can't play it, a frame says so: phones may play it all the same. */
export function VideoPlayer({ url, seconds }: Props) {
  const { t } = useTranslation()
  const [hasFailed, setFailed] = useState(false)
  const length = seconds !== null && <span className={classes.length}>{formatLength(seconds)}</span>
  if (hasFailed)
    return (
      <span className={classes.frame}>
        <IconVideo size={32} stroke={1.5} aria-hidden />
        <span>{t('MESSAGE.VIDEO_NOT_SHOWN')}</span>
        {length}
      </span>
    )
  return (
    <span className={classes.video}>
      {/* biome-ignore lint/a11y/useMediaCaption: the video is what somebody sends, and has no subtitles */}
      <video
        // Safari draws the first frame only if it is asked for a moment.
        src={`${url}#t=0.1`}
        aria-label={t('MESSAGE.KIND_VIDEO')}
        controls
        playsInline
        preload="metadata"
        onError={() => setFailed(true)}
      />
      {length}
    </span>
  )
}

/** A row with a button, the place in the recording and its length. */
export function AudioPlayer({ url, seconds, isVoice }: Props & { isVoice: boolean }) {
  const { t } = useTranslation()
  const audio = useRef<HTMLAudioElement>(null)
  const [state, setState] = useState<'paused' | 'playing' | 'failed'>('paused')
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(seconds ?? 0)
  const isPlaying = state === 'playing'
  const Kind = isVoice ? IconMicrophone : IconMusic
  const toggle = () => {
    if (isPlaying) return audio.current?.pause()
    // Rejects if the browser can't play the file, which `onError` notes.
    audio.current?.play().catch(() => {})
  }
  return (
    <span className={classes.audio}>
      {/* biome-ignore lint/a11y/useMediaCaption: see above */}
      <audio
        ref={audio}
        src={url}
        preload="metadata"
        onPlay={() => setState('playing')}
        onPause={() => setState('paused')}
        onError={() => setState('failed')}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget: { duration } }) => {
          // Unknown for a recording that was streamed.
          if (Number.isFinite(duration)) setLength(duration)
        }}
      />
      <ActionIcon
        variant="transparent"
        color="currentcolor"
        disabled={state === 'failed'}
        aria-label={t(isPlaying ? 'MESSAGE.PAUSE' : 'MESSAGE.PLAY')}
        onClick={toggle}
      >
        {isPlaying ? <IconPlayerPause size={20} aria-hidden /> : <IconPlayerPlay size={20} aria-hidden />}
      </ActionIcon>
      <input
        type="range"
        aria-label={t('MESSAGE.POSITION')}
        aria-valuetext={formatLength(at)}
        min={0}
        max={length || 1}
        step={0.1}
        value={Math.min(at, length || 1)}
        disabled={state === 'failed'}
        onChange={(event) => {
          if (audio.current) audio.current.currentTime = event.currentTarget.valueAsNumber
        }}
      />
      <small>{state === 'failed' ? t('MESSAGE.AUDIO_NOT_PLAYED') : formatLength(at > 0 ? at : length)}</small>
      <Kind
        size={20}
        stroke={1.5}
        role="img"
        aria-label={t(isVoice ? 'MESSAGE.KIND_VOICE' : 'MESSAGE.KIND_AUDIO')}
      />
    </span>
  )
}
