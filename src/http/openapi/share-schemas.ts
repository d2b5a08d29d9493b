import type { JsonSchema } from '../../schemas/json-schema.ts'

/**
 * Schemas of a document, each told once: where one has another inside, it refers to it. Generated clients then have one type for what is one
 * thing, and some of them fail at schemas that come twice.
 */
export function shareSchemas<Names extends string>(schemas: Record<Names, JsonSchema>): Record<Names, JsonSchema> {
  const entries = Object.entries(schemas) as [Names, JsonSchema][]
  const names = new Map(entries.map(([name, schema]) => [JSON.stringify(schema), name]))
  const refer = (value: unknown): unknown => {
    const name = names.get(JSON.stringify(value))
    return name === undefined ? within(value) : { $ref: `#/components/schemas/${name}` }
  }
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, refer(member)]))
  }
  return Object.fromEntries(entries.map(([name, schema]) => [name, within(schema)])) as Record<Names, JsonSchema>
}
