import type { ButtonProps } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { type DownloadWords, useDownload } from '../api/use-download.ts'
import { BusyButton } from '../ui/busy-button.tsx'

type Props = { text: string; words: DownloadWords; save: () => Promise<void> } & Pick<ButtonProps, 'size'>

/** Saves what a list shows as a file. */
export function DownloadButton({ text, words, save, ...props }: Props) {
  const download = useDownload(words, save)
  return (
    <BusyButton
      {...props}
      variant="default"
      leftSection={<IconDownload size={props.size ? 14 : 16} aria-hidden />}
      isBusy={download.isPending}
      onClick={() => download.mutate()}
    >
      {text}
    </BusyButton>
  )
}
