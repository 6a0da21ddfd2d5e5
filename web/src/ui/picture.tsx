import { Center, Image, type ImageProps } from '@mantine/core'
import { IconPhotoOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './picture.module.css'

type Props = { src: string; alt: string } & Pick<
  ImageProps,
  'w' | 'h' | 'maw' | 'mah' | 'fit' | 'flex' | 'className'
>

/** The image of a message. If it can't be loaded, a frame of the same size says so. */
export const Picture = (props: Props) => <Loaded key={props.src} {...props} />

function Loaded({ w, h, maw, mah, flex, className, ...image }: Props) {
  const { t } = useTranslation()
  const [hasFailed, setFailed] = useState(false)
  if (!hasFailed)
    return (
      <Image {...{ w, h, maw, mah, flex, className, ...image }} radius="sm" onError={() => setFailed(true)} />
    )
  const words = t('COMMON.IMAGE_FAILED')
  return (
    <Center
      w={maw ?? w}
      h={mah ?? h}
      flex={flex}
      className={`${classes.frame} ${className ?? ''}`}
      title={words}
    >
      <IconPhotoOff size={20} aria-hidden />
      <span>{words}</span>
    </Center>
  )
}
