import type { Endpoint } from '@sendroom/contract/endpoint'
import { limits } from '@sendroom/contract/limits'
import { Problem } from '@sendroom/contract/problem'

const NEEDS_CONFIRMATION = `Needs a sign-in or a \`POST /auth/confirm\` within the last ${limits.confirmationMinutes} minutes. Otherwise the answer is 403 \`confirm_password\`.`

/** The description of an endpoint, by which Fastify also parses and serializes. */
export function describeEndpoint(endpoint: Endpoint) {
  const feature = endpoint.path.split('/')[1] ?? ''
  return {
    summary: endpoint.summary,
    tags: [feature],
    ...(endpoint.needsConfirmation && { description: NEEDS_CONFIRMATION }),
    ...(endpoint.form && {
      description: `In multipart/form-data the field \`${endpoint.form}\` has this body.`,
    }),
    security: securityOf(endpoint),
    ...(endpoint.params && { params: endpoint.params }),
    ...(endpoint.query && { querystring: endpoint.query }),
    ...(endpoint.body && { body: endpoint.body }),
    ...(endpoint.upload && { consumes: ['application/json', 'multipart/form-data'] }),
    response: {
      ...(endpoint.response && { [endpoint.status ?? 200]: endpoint.response }),
      '4xx': Problem,
      '5xx': Problem,
    },
  }
}

function securityOf({ access, allowsApiKeys }: Endpoint): Record<string, string[]>[] {
  if (access === 'public') return []
  return allowsApiKeys ? [{ session: [] }, { apiKey: [] }] : [{ session: [] }]
}
