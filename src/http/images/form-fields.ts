import { InvalidRequestError } from '../../errors/index.ts'
import type { FormField } from '../body/parse-form.ts'

const TEXTS = ['model', 'prompt', 'size', 'response_format', 'output_format', 'background', 'negative_prompt'] as const
const INTEGERS = ['n', 'seed', 'steps', 'partial_images'] as const
const FRACTIONS = ['strength', 'guidance'] as const
/** A mask, and what is refused where it is checked. */
const FILES = ['mask', 'markup'] as const

/** `image`, and the ways in which clients write lists of it. */
const SOURCE = /^images?(?:\[\d*\])?$/

/**
 * The body that a multipart form stands for. Files are bytes, numbers and truth values what they say.
 *
 * @throws InvalidRequestError for a field that comes twice, is a file and no picture, or text that is no UTF-8
 */
export function fromForm(form: readonly FormField[]): Record<string, unknown> {
  const sources = form.filter(({ name }) => SOURCE.test(name)).map(({ value }) => value)
  const stream = readText(form, 'stream')
  return {
    ...present(TEXTS, (name) => readText(form, name)),
    ...present(INTEGERS, (name) => toInteger(readText(form, name))),
    ...present(FRACTIONS, (name) => toFraction(readText(form, name))),
    ...present(FILES, (name) => readOnce(form, name)?.value),
    ...(stream !== undefined && { stream: toBoolean(stream) }),
    ...readControl(form),
    ...(sources.length === 1 && { image: sources[0] }),
    ...(sources.length > 1 && { images: sources }),
  }
}

/** The members of an object, in the way that clients write them in forms. */
function readControl(form: readonly FormField[]): Record<string, unknown> {
  if (form.some(({ name }) => name === 'control')) {
    throw new InvalidRequestError(
      'control',
      'must be given as control[image], and control[scale] where it is not to be 0.75',
    )
  }
  const image = readOnce(form, 'control[image]', 'control.image')
  const scale = toFraction(readText(form, 'control[scale]'))
  if (image === undefined && scale === undefined) return {}
  return { control: { image: image?.value, ...(scale !== undefined && { scale }) } }
}

function present(names: readonly string[], read: (name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, read(name)]).filter(([, value]) => value !== undefined))
}

function readOnce(form: readonly FormField[], wanted: string, path = wanted): FormField | undefined {
  const [field, ...more] = form.filter(({ name }) => name === wanted)
  // Which one counts is where two readers of one request begin to differ.
  if (more.length > 0) throw new InvalidRequestError(path, `must be given once, got ${more.length + 1}`)
  return field
}

function readText(form: readonly FormField[], wanted: string): string | undefined {
  const field = readOnce(form, wanted)
  if (field === undefined) return undefined
  if (typeof field.value === 'string') return field.value
  throw new InvalidRequestError(wanted, field.isFile ? 'must be text, got a file' : 'must be UTF-8 text')
}

/** What is no number or truth value stays text, for the schema to refuse. */
function toInteger(text: string | undefined): number | string | undefined {
  return text !== undefined && /^-?\d{1,16}$/.test(text) ? Number(text) : text
}

function toFraction(text: string | undefined): number | string | undefined {
  // As many digits as programs write of a fraction in double precision.
  return text !== undefined && /^(?:\d{1,9}(?:\.\d{1,20})?|\.\d{1,20})$/.test(text) ? Number(text) : text
}

function toBoolean(text: string): boolean | string {
  return text === 'true' || (text === 'false' ? false : text)
}
