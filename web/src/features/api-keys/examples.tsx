import { Anchor, Code, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../ui/section.tsx'
import php from './examples/send.php?raw'
import python from './examples/send.py?raw'
import curl from './examples/send.sh?raw'
import typescript from './examples/send.ts?raw'

// The tests run these files: server/test/api-examples.test.ts.
const examples = { curl, TypeScript: typescript, Python: python, PHP: php }
type Language = keyof typeof examples

/** How programs use a key. */
export function Examples() {
  const { t } = useTranslation()
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <Section title={t('API_KEY.EXAMPLES')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t('API_KEY.EXAMPLES_HINT')}{' '}
          <Anchor size="sm" underline="always" href="/api/docs" target="_blank">
            {t('API_KEY.ALL_CALLS')}
          </Anchor>
        </Text>
        <SegmentedControl
          aria-label={t('API_KEY.EXAMPLES')}
          data={Object.keys(examples)}
          value={language}
          onChange={(chosen) => setLanguage(chosen as Language)} // its data are these names
        />
        <Code block w="100%" tabIndex={0}>
          {examples[language].trim()}
        </Code>
      </Stack>
    </Section>
  )
}
