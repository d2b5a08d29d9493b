import type * as z from 'zod'
import { version } from '../../../package.json'
import { createDecisionRequestSchema } from '../../schemas/decision-request.ts'
import { answerSchema } from '../../schemas/decision-response.ts'
import { decisionResponseSchema, errorBodySchema, LIMITS, type OptionLimits } from '../../schemas/index.ts'
import { type JsonSchema, toJsonSchema } from '../../schemas/json-schema.ts'
import { questionSchema } from '../../schemas/question-schemas.ts'
import {
  changedSchema,
  keyListSchema,
  madeKeySchema,
  newKeySchema,
  revocationSchema,
  rotationSchema,
  topUpSchema,
} from '../admin/key-schemas.ts'
import { auditSchema, balancesSchema, exportSchema } from '../admin/report-routes.ts'
import { batchResultSchema } from '../batches/batch-wire.ts'
import { createOpenAiRequestSchema } from '../decisions/openai-request.ts'
import { openAiResponseSchema } from '../decisions/openai-response.ts'
import { editBodySchema } from '../images/edits-route.ts'
import { generationBodySchema } from '../images/generations-route.ts'
import { imageAnswerSchema } from '../images/image-route.ts'
import { jobErrorSchema, jobListSchema, jobSchema } from '../jobs/job-wire.ts'
import { modelListSchema, modelSchema } from '../routes/model-routes.ts'
import { serverStatusSchema } from '../routes/status-routes.ts'
import { usageSchema } from '../routes/usage-route.ts'
import { webhookSecretSchema } from '../webhooks/secret-route.ts'
import { PATHS } from './paths.ts'
import { shareSchemas } from './share-schemas.ts'

const TAGS = [
  { name: 'decisions', description: 'Typed questions about a state.' },
  { name: 'images', description: 'Pictures from words, and changed ones.' },
  { name: 'jobs', description: 'Requests that are answered while nobody waits.' },
  { name: 'account', description: 'What a key may use and has used.' },
  { name: 'admin', description: 'For keys with the scope `admin`.' },
  { name: 'server', description: 'For whoever runs it.' },
]

/** The OpenAPI 3.1 description of the server, its schemas made from those that requests are checked with. */
export function createOpenApiDocument({ maxOptions = LIMITS.options.max }: OptionLimits = {}) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Images from words, edits of images, and typed decisions with calibrated probabilities.',
    },
    // Relative to where this document is, which may be below a mount.
    servers: [{ url: '.' }],
    tags: TAGS,
    security: [{ key: [] }],
    paths: PATHS,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: createSchemas(maxOptions),
    },
  }
}

/** Those of bodies, by the names that operations refer to. */
function createSchemas(maxOptions: number) {
  const decisionRequest = toJsonSchema(createDecisionRequestSchema(maxOptions))
  return shareSchemas({
    ...byType(toJsonSchema(questionSchema(maxOptions)), 'Question'),
    ...byType(toJsonSchema(answerSchema), 'Answer'),
    JobError: toJsonSchema(jobErrorSchema),
    DecisionRequest: withBackground(decisionRequest),
    DecisionResponse: toJsonSchema(decisionResponseSchema),
    OpenAiDecisionRequest: withBackground(toJsonSchema(createOpenAiRequestSchema({ maxOptions }))),
    OpenAiDecisionResponse: toJsonSchema(openAiResponseSchema),
    ImageGenerationRequest: withBackground(withDefaults(toJsonSchema(generationBodySchema))),
    ImageEditRequest: withBackground(withDefaults(toJsonSchema(editBodySchema))),
    ImageResponse: toJsonSchema(imageAnswerSchema),
    Job: toJsonSchema(jobSchema),
    JobList: toJsonSchema(jobListSchema),
    BatchLine: withCustomId(decisionRequest),
    BatchResult: toJsonSchema(batchResultSchema),
    WebhookSecret: toJsonSchema(webhookSecretSchema),
    Model: toJsonSchema(modelSchema),
    ModelList: toJsonSchema(modelListSchema),
    Usage: toJsonSchema(usageSchema),
    KeyList: toJsonSchema(keyListSchema),
    NewKey: toJsonSchema(newKeySchema),
    MadeKey: toJsonSchema(madeKeySchema),
    KeyRevocation: toJsonSchema(revocationSchema),
    KeyRotation: toJsonSchema(rotationSchema),
    TopUp: toJsonSchema(topUpSchema),
    Changed: toJsonSchema(changedSchema),
    Balances: toJsonSchema(balancesSchema),
    UsageExport: toJsonSchema(exportSchema),
    Audit: toJsonSchema(auditSchema),
    ServerStatus: toJsonSchema(serverStatusSchema),
    Error: toJsonSchema(errorBodySchema as z.ZodType),
  })
}

/** The alternatives of a union by their types: `NoulQuestion`, `ChoiceQuestion` and `ScoreQuestion` of questions. */
function byType({ oneOf = [] }: JsonSchema, what: 'Question' | 'Answer') {
  const named = (oneOf as JsonSchema[]).map((schema) => {
    const { const: type } = schema.properties!['type'] as { readonly const: string }
    return [`${type[0]!.toUpperCase()}${type.slice(1)}${what}`, schema] as const
  })
  return Object.fromEntries(named) as Record<`${'Noul' | 'Choice' | 'Score'}${typeof what}`, JsonSchema>
}

/** A decision with a name. */
function withCustomId({ properties, required = [], ...schema }: JsonSchema): JsonSchema {
  const customId = { type: 'string', minLength: 1, maxLength: 64, description: 'The same in no other line.' } as const
  return { ...schema, properties: { custom_id: customId, ...properties }, required: ['custom_id', ...required] }
}

/** Every body may say that it is to be answered as a job. */
function withBackground(schema: JsonSchema): JsonSchema {
  const { background, ...properties } = schema.properties as Record<string, unknown>
  const asJob = { type: 'boolean', description: 'Answer as a job, as `Prefer: respond-async` does.' }
  return {
    ...schema,
    properties: { ...properties, background: background ? { anyOf: [asJob, background] } : asJob },
  } as JsonSchema
}

const NULL = { type: 'null' }

/** Null is a type of its own, or one in a list of types. */
function takesNull({ type, anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || anyOf.some((part) => takesNull(part as JsonSchema))
}

/**
 * What image routes drop before they look at a body (`dropDefaults`): null; a size of `auto` is a string as any other here. A member that may be
 * null alone is left out, as it says nothing, and openapi-generator makes clients of it that do not compile.
 */
function withDefaults(schema: JsonSchema): JsonSchema {
  const { properties, required = [], allOf } = schema
  return {
    ...schema,
    ...(allOf && { allOf: allOf.map((part) => withDefaults(part as JsonSchema)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties)
          .filter(([, property]) => JSON.stringify(property) !== JSON.stringify(NULL))
          .map(([name, property]) => [
            name,
            required.includes(name) || takesNull(property as JsonSchema) ? property : { anyOf: [property, NULL] },
          ]),
      ),
    }),
  } as JsonSchema
}
