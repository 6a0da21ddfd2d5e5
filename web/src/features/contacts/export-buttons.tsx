import { Group } from '@mantine/core'
import type { ContactSelection } from '@sendroom/contract/contacts'
import { useTranslation } from 'react-i18next'
import { download } from '../../api/download.ts'
import { dayOf, formatNumber } from '../../format.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { DownloadButton } from '../../lists/download-button.tsx'

/** Downloads these contacts, in the kind of CSV that spreadsheets in the user's language expect, or for Excel. */
export function ExportButtons({ selection, count }: { selection: ContactSelection; count: number }) {
  const { t } = useTranslation()
  return (
    <Group gap="xs">
      {(['csv', 'xlsx'] as const).map((format) => (
        <DownloadButton
          key={format}
          size="xs"
          text={t(`CONTACT.EXPORT_${format.toUpperCase()}`, { number: formatNumber(count) })}
          words={{ success: 'CONTACT.EXPORTED', failure: 'CONTACT.EXPORT_FAILED' }}
          save={() =>
            download(
              `POST /contacts/export/${format}`,
              { body: { ...selection, language: currentLanguage() } },
              `Contacts_${dayOf(new Date())}.${format}`,
            )
          }
        />
      ))}
    </Group>
  )
}
