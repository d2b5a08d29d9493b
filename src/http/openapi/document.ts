import type * as z from 'zod'
import { version } from '../../../package.json'
import { createDecisionRequestSchema } from '../../schemas/decision-request.ts'
import { decisionResponseSchema, errorBodySchema, LIMITS, type OptionLimits } from '../../schemas/index.ts'
import { type JsonSchema, toJsonSchema } from '../../schemas/json-schema.ts'
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
import { jobListSchema, jobSchema } from '../jobs/job-wire.ts'
import { modelListSchema } from '../routes/models-route.ts'
import { usageSchema } from '../routes/usage-route.ts'
import { webhookSecretSchema } from '../webhooks/secret-route.ts'
import { PATHS } from './paths.ts'

const TAGS = [
  { name: 'decisions', description: 'Typed questions about a state.' },
  { name: 'images', description: 'Pictures from words, and changed ones.' },
  { name: 'jobs', description: 'Requests that are answered while nobody waits.' },
  { name: 'account', description: 'What a key may use and has used.' },
  { name: 'admin', description: 'For keys with the scope `admin`.' },
  { name: 'server', description: 'For whoever runs it.' },
]

/** A decision with a name. */
const BATCH_LINE = {
  type: 'object',
  required: ['custom_id'],
  properties: {
    custom_id: { type: 'string', minLength: 1, maxLength: 64, description: 'The same in no other line.' },
  },
  allOf: [{ $ref: '#/components/schemas/DecisionRequest' }],
} as const

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
      schemas: {
        DecisionRequest: withBackground(toJsonSchema(createDecisionRequestSchema(maxOptions))),
        DecisionResponse: toJsonSchema(decisionResponseSchema),
        OpenAiDecisionRequest: withBackground(toJsonSchema(createOpenAiRequestSchema({ maxOptions }))),
        OpenAiDecisionResponse: toJsonSchema(openAiResponseSchema),
        ImageGenerationRequest: withBackground(withDefaults(toJsonSchema(generationBodySchema))),
        ImageEditRequest: withBackground(withDefaults(toJsonSchema(editBodySchema))),
        ImageResponse: toJsonSchema(imageAnswerSchema),
        Job: toJsonSchema(jobSchema),
        JobList: toJsonSchema(jobListSchema),
        BatchLine: BATCH_LINE,
        BatchResult: toJsonSchema(batchResultSchema),
        WebhookSecret: toJsonSchema(webhookSecretSchema),
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
        Error: toJsonSchema(errorBodySchema as z.ZodType),
      },
    },
  }
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

function takesNull(property: unknown): boolean {
  return JSON.stringify(property).includes(JSON.stringify(NULL))
}

/** What image routes drop before they look at a body (`dropDefaults`): null, and a size of `auto`. */
function withDefaults(schema: JsonSchema): JsonSchema {
  const { properties, required = [], allOf } = schema
  return {
    ...schema,
    ...(allOf && { allOf: allOf.map((part) => withDefaults(part as JsonSchema)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          required.includes(name) || takesNull(property)
            ? property
            : { anyOf: [property, ...(name === 'size' ? [{ const: 'auto' }] : []), NULL] },
        ]),
      ),
    }),
  } as JsonSchema
}
