import { Anchor, Text } from '@mantine/core'
import type { OptOut, PossibleOptOut } from '@sendroom/contract/opt-outs'
import { Link } from '@tanstack/react-router'
import { numberOf } from '../../forms/opt-out-words.ts'
import { Name } from '../../ui/name.tsx'

type Props = { row: Pick<OptOut | PossibleOptOut, 'phoneNumber' | 'lid' | 'contact'> }

/** The number of a person, with the contact's name above it if there is one. */
export function PersonCell({ row }: Props) {
  const number = numberOf(row)
  if (!row.contact)
    return (
      <Text size="sm">
        <Name>{number}</Name>
      </Text>
    )
  const { id, name } = row.contact
  return (
    <>
      <Anchor
        size="sm"
        fw={500}
        renderRoot={(props) => <Link {...props} to="/contacts/$id" params={{ id: String(id) }} />}
      >
        <Name>{name || number}</Name>
      </Anchor>
      {name && (
        <Text size="xs" c="dimmed">
          {number}
        </Text>
      )}
    </>
  )
}
