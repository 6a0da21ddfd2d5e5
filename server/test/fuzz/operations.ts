/** The parts of a JSON schema that the API's description uses. */
export type Schema = {
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | false
  prefixItems?: Schema[]
  pattern?: string
  format?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

type Parameter = { in: 'path' | 'query'; name: string; required?: boolean; schema: Schema }
type Content = Record<string, { schema: Schema }>

/** The parts of an OpenAPI document that are used here. */
export type Description = {
  paths: Record<
    string,
    Record<string, { parameters?: Parameter[]; requestBody?: { content: Content }; security?: object[] }>
  >
}

/** An operation of the API. The name is such as `GET /api/jobs/{id}`. */
export type Operation = {
  name: string
  method: string
  path: string
  isPublic: boolean
  allowsApiKeys: boolean
  query: Schema
  /** The schema of the body, if there is one. An empty schema takes anything. */
  body: Schema | null
  takesForms: boolean
}

export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, security = [] }]) => {
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const content = requestBody?.content
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        isPublic: security.length === 0,
        allowsApiKeys: security.some((scheme) => 'apiKey' in scheme),
        query: {
          type: 'object',
          properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
          required: inQuery.filter(({ required }) => required).map(({ name }) => name),
        },
        body: content?.['application/json']?.schema ?? null,
        takesForms: content?.['multipart/form-data'] !== undefined,
      }
    }),
  )
