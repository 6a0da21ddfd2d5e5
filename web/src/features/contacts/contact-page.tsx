import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ContactField } from '@sendroom/contract/contact-fields'
import type { Contact } from '@sendroom/contract/contacts'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { idOf } from '../../address.ts'
import { useRead } from '../../api/queries.ts'
import { useRedirectOnFailure } from '../../api/use-redirect-on-failure.ts'
import { formatDateTime, formatDay, formatNumber } from '../../format.ts'
import { contactName } from '../../forms/contact-name.ts'
import { useContactFields } from '../../forms/use-contact-fields.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Name } from '../../ui/name.tsx'
import { PageTitle } from '../../ui/page-title.tsx'
import { Section } from '../../ui/section.tsx'
import { CheckedNumber } from './checked-number.tsx'
import { ContactJobs } from './contact-jobs.tsx'
import { ContactOptOuts } from './contact-opt-outs.tsx'
import classes from './contact-page.module.css'
import { useRemoveContact } from './use-remove-contact.ts'

/** Everything about one contact. */
export function ContactPage() {
  const { t } = useTranslation()
  const id = idOf(useParams({ strict: false })) ?? 0
  const { data: contact, isError } = useRead(
    'GET /contacts/:id',
    { params: { id } },
    { meta: { words: 'CONTACT.LOAD_FAILED' } },
  )
  useRedirectOnFailure(isError && !contact, '/contacts')
  if (!contact) return <Loading />
  return (
    <Stack>
      <Group justify="space-between">
        <PageTitle>{contactName(contact)}</PageTitle>
        <Buttons contact={contact} />
      </Group>
      <Section title={t('CONTACT.DATA')}>
        <Facts contact={contact} />
      </Section>
      <ContactOptOuts contact={contact} />
      <ContactJobs id={contact.id} />
    </Stack>
  )
}

function Buttons({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { ask, isPending } = useRemoveContact(() => navigate({ to: '/contacts' }))
  return (
    <Group gap="xs">
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link {...props} to="/contacts/edit/$id" params={{ id: String(contact.id) }} />
        )}
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {t('COMMON.EDIT')}
      </Button>
      <BusyButton
        variant="default"
        isBusy={isPending}
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => ask(contact)}
      >
        {t('COMMON.DELETE')}
      </BusyButton>
    </Group>
  )
}

function Facts({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const { data: fields = [] } = useContactFields()
  const { id, phoneNumbers, lid, tags, values, note, source, sourceName, createdAt } = contact
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2, lg: 3 }}>
      <Fact name={t('CONTACT.NUMBERS')}>
        {(phoneNumbers.length > 0 || lid) && <Numbers {...{ id, phoneNumbers, lid }} />}
      </Fact>
      <Fact name={t('CONTACT.TAGS')}>
        {tags.length > 0 && (
          <Group component="span" gap={4}>
            {tags.map((tag) => (
              <Badge key={tag.id} variant="light" color="gray" tt="none" maw="100%">
                {tag.name}
              </Badge>
            ))}
          </Group>
        )}
      </Fact>
      {fields.map((field) => (
        <Fact key={field.key} name={field.name}>
          <span className={classes.text}>
            <Name>{valueText(field, values[field.key], t)}</Name>
          </span>
        </Fact>
      ))}
      <Fact name={t('CONTACT.NOTE')}>
        {note && (
          <span className={classes.text}>
            <Name>{note}</Name>
          </span>
        )}
      </Fact>
      <Fact name={t('CONTACT.CREATED_AT')}>{formatDateTime(createdAt)}</Fact>
      <Fact name={t('CONTACT.SOURCE')}>
        <Name>{t(`CONTACT.SOURCE_${source.toUpperCase()}`, { name: sourceName })}</Name>
      </Fact>
    </SimpleGrid>
  )
}

function Numbers({ id, phoneNumbers, lid }: Pick<Contact, 'id' | 'phoneNumbers' | 'lid'>) {
  const { t } = useTranslation()
  const { data } = useRead('GET /contacts/:id/number-checks', { params: { id } }, { meta: { isQuiet: true } })
  return (
    <>
      {phoneNumbers.map((number, place) => (
        <span key={number} className={classes.number}>
          {number}
          {place === 0 && (
            <Text span size="xs" c="dimmed">
              {` ${t('CONTACT.PRIMARY')}`}
            </Text>
          )}
          <CheckedNumber check={data?.numbers.find(({ phoneNumber }) => phoneNumber === number)} />
        </span>
      ))}
      {lid && <span className={classes.number}>{t('CONTACT.HIDDEN', { lid })}</span>}
    </>
  )
}

function valueText(
  { type }: ContactField,
  value: Contact['values'][string] | undefined,
  t: TFunction,
): string {
  if (value === undefined) return '–'
  if (type === 'yesNo') return t(value ? 'COMMON.YES' : 'COMMON.NO')
  if (type === 'date') return formatDay(String(value))
  return type === 'number' ? formatNumber(Number(value)) : String(value)
}
