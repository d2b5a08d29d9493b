import * as z from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Makes the JSON Schema of a checker that zod cannot look into; converts members with `toJson`. */
type Describe = (toJson: (schema: z.ZodType) => JsonSchema) => JsonSchema

const descriptions = new WeakMap<object, Describe>()

/** Says what a schema made of functions takes, for documents generated from it. */
export function describeJson<Schema extends z.ZodType>(schema: Schema, describe: Describe): Schema {
  descriptions.set(schema, describe)
  return schema
}

/**
 * JSON Schema, draft 2020-12, of what a schema takes. It is as wide as the schema or wider: what no JSON Schema can say,
 * such as code points or a sum, stays with the schema.
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...body } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const describe = descriptions.get(zodSchema)
      if (describe) Object.assign(jsonSchema, describe(toJsonSchema))
    },
  })
  return body as JsonSchema
}
