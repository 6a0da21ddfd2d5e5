import { Anchor } from '@mantine/core'
import type { Named } from '@sendroom/contract/values'
import { Link } from '@tanstack/react-router'
import { Name } from '../../../ui/name.tsx'

export const SeriesLink = ({ series: { id, name } }: { series: Named }) => (
  <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/series/$id" params={{ id: String(id) }} />}>
    <Name>{name}</Name>
  </Anchor>
)
