import * as z from 'zod'
import { describeJson } from '../../schemas/json-schema.ts'
import { RECORD_JSON } from '../../schemas/read-text.ts'
import { expected } from '../../schemas/zod-reader.ts'
import { listOf, report } from './list-of.ts'

const text = z.string({ error: expected('a string') })

/** Text, or parts of a message. A `z.union` would report a fault in a part as one of the whole. */
export function textOr<T>(parts: z.ZodType<T>) {
  const schema = z.unknown().transform((value, context): string | T => {
    if (typeof value === 'string') return value
    const result = parts.safeParse(value)
    return result.success ? result.data : report(context, result.error.issues)
  })
  return describeJson(schema, (toJson) => ({ anyOf: [{ type: 'string' }, toJson(parts)] }))
}

function partsOf<const Parts extends readonly z.core.$ZodTypeDiscriminable[]>(parts: Parts, types: string) {
  const part = z.discriminatedUnion('type', parts as unknown as [Parts[number], ...Parts[number][]], {
    error: ({ code, input }) =>
      code === 'invalid_union' ? `must be a part of type ${types}` : expected('an object')({ input }),
  })
  return listOf(part, { what: 'a string or an array of parts', min: 1, count: 'must have at least one part' })
}

const inputText = z.object({ type: z.literal('input_text'), text })
const inputJson = z.object({
  type: z.literal('input_json'),
  data: describeJson(
    z.custom<object>((value) => typeof value === 'object' && value !== null, {
      error: expected('an object or an array'),
    }),
    () => RECORD_JSON,
  ),
})
/** Refused by name rather than left out: an answer that has not seen the picture would look like one that has. */
const inputImage = z
  .object({ type: z.literal('input_image') })
  .refine(() => false, { error: 'images are not read by the models of this server; send text or JSON' })

/** Instructions of a question and content of a user's message. */
export const readableContent = textOr(partsOf([inputText, inputJson, inputImage], 'input_text or input_json'))

const plainText = textOr(partsOf([inputText, inputImage], 'input_text'))
const assistantText = textOr(
  partsOf(
    [z.object({ type: z.literal('output_text'), text }), z.object({ type: z.literal('refusal'), refusal: text })],
    'output_text or refusal',
  ),
)

const messageType = z.literal('message').optional()
const user = z.object({ type: messageType, role: z.literal('user'), content: readableContent })
const instructor = z.object({ type: messageType, role: z.enum(['developer', 'system']), content: plainText })
const assistant = z.object({ type: messageType, role: z.literal('assistant'), content: assistantText })
const message = z.discriminatedUnion('role', [user, instructor, assistant], {
  error: ({ code, input }) =>
    code === 'invalid_union'
      ? 'must have a role of user, developer, system or assistant'
      : expected('an object')({ input }),
})

const toolCalls = [
  z.object({ type: z.literal('function_call'), call_id: text, name: text, arguments: text }),
  z.object({ type: z.literal('custom_tool_call'), call_id: text, name: text, input: text }),
  z.object({ type: z.literal('function_call_output'), call_id: text, output: plainText }),
  z.object({ type: z.literal('custom_tool_call_output'), call_id: text, output: plainText }),
] as const
const toolItem = z.discriminatedUnion('type', toolCalls, {
  error: 'must be a message, or a function_call, custom_tool_call or an output of one',
})

export type InputItem = z.output<typeof message> | z.output<typeof toolItem>

/** A message has a role; everything else says by its type what it is. */
const inputItem = describeJson(
  z.unknown().transform((value, context): InputItem => {
    const hasRole = typeof value === 'object' && value !== null && Object.hasOwn(value, 'role')
    const result = (hasRole ? message : toolItem).safeParse(value)
    return result.success ? result.data : report(context, result.error.issues)
  }),
  (toJson) => ({ anyOf: [toJson(message), toJson(toolItem)] }),
)

/** More than a state has characters for, of which each message takes 28. */
const MOST_ITEMS = 10_000

export const inputItems = listOf(inputItem, {
  what: 'a string or an array of messages',
  min: 1,
  max: MOST_ITEMS,
  count: `must have 1 to ${MOST_ITEMS.toLocaleString('en')} messages`,
  check(items) {
    const calls = new Set<string>()
    for (const [index, item] of items.entries()) {
      if (!('call_id' in item)) continue
      if ('output' in item && !calls.has(item.call_id)) {
        return { path: [index, 'call_id'], message: 'must be that of an earlier call' }
      }
      if (!('output' in item)) calls.add(item.call_id)
    }
    return undefined
  },
})
