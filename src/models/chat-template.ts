import { Template } from '@huggingface/jinja'
import * as z from 'zod'
import { ModelFormatError } from '../errors/index.ts'
import { readOptionalConfig } from './configs/read-config.ts'
import { tokenName } from './configs/token-name.ts'
import type { ModelFiles } from './files/model-files.ts'

interface ChatMessage {
  readonly role: 'system' | 'user'
  readonly content: string
}

/** A checkpoint's way to write a conversation as one text. */
export interface ChatTemplate {
  /** Path of the file that it is in, for errors. */
  readonly file: string
  /**
   * The conversation, and the beginning of the answer.
   *
   * @param thinking `enable_thinking` of templates that know it
   * @throws ModelFormatError when the template refuses the conversation or is none
   */
  render(messages: readonly ChatMessage[], thinking: boolean): string
}

/** A template in a file of its own, as transformers writes it from 4.53 on; it counts where there is another in the configuration. */
export const TEMPLATE_FILE = 'chat_template.jinja'
const CONFIG_FILE = 'tokenizer_config.json'

const schema = z.looseObject({
  chat_template: z.union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))]).nullish(),
  bos_token: tokenName.nullish(),
  eos_token: tokenName.nullish(),
  pad_token: tokenName.nullish(),
  unk_token: tokenName.nullish(),
  extra_special_tokens: z.unknown().optional(),
})

type Config = z.infer<typeof schema>

/**
 * The checkpoint's own chat template: `chat_template.jinja`, or that of `tokenizer_config.json`. Undefined without one.
 *
 * @throws ModelFormatError when it can't be parsed, or is one of several of which none is the default
 */
export async function readChatTemplate(files: ModelFiles): Promise<ChatTemplate | undefined> {
  const config = await readTokenizerConfig(files)
  const own = await files.readText(TEMPLATE_FILE)
  const file = `${files.location}/${own === undefined ? CONFIG_FILE : TEMPLATE_FILE}`
  const source = own ?? findDefault(config?.chat_template, file)
  if (source === undefined) return undefined
  const template = attempt(file, 'a chat template in Jinja', () => parse(source))
  const known = nameTokens(config ?? {})
  return {
    file,
    render: (messages, thinking) =>
      attempt(file, 'a chat template for one user', () =>
        template.render({
          ...known,
          messages,
          // A conversation without them has them as none in transformers; templates ask for that, or whether they are defined.
          tools: null,
          documents: null,
          add_generation_prompt: true,
          enable_thinking: thinking,
          date_string: formatDay('%d %b %Y'),
          format_day: formatDay,
        }),
      ),
  }
}

/** Whether a folder's `tokenizer_config.json` has a template, over which another folder's in a file of its own must not win. */
export async function bringsTemplate(files: ModelFiles): Promise<boolean> {
  return ((await readTokenizerConfig(files))?.chat_template?.length ?? 0) > 0
}

function readTokenizerConfig(files: ModelFiles): Promise<Config | undefined> {
  return readOptionalConfig(files, CONFIG_FILE, schema, 'a tokenizer_config.json')
}

/** @throws ModelFormatError naming all of several that have no default */
function findDefault(listed: Config['chat_template'], file: string): string | undefined {
  if (!Array.isArray(listed)) return listed ?? undefined
  const found = listed.find(({ name }) => name === 'default')
  if (found !== undefined || listed.length === 0) return found?.template
  const names = listed.map(({ name }) => name).join(', ')
  throw new ModelFormatError(file, 'a chat_template with the name default', names.slice(0, 200))
}

/** Every token that a configuration has a name for, by which templates call it. */
function nameTokens({ extra_special_tokens: extra, ...config }: Config): Record<string, string> {
  const named = Object.entries(config).filter(([name]) => name.endsWith('_token'))
  // Older files have a list here, of tokens without names.
  const more = typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? Object.entries(extra) : []
  const texts = [...named, ...more].map(([name, value]) => [name, tokenName.safeParse(value).data] as const)
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/**
 * The template, with another `strftime_now` than the library's, which may not be among what is rendered: it is set before all else. Jinja takes
 * all line ends for one; the library leaves those of Windows, which Git writes there, as they are.
 */
function parse(source: string): Template {
  const template = new Template(source.replace(/\r\n?/g, '\n'))
  template.parsed.body.unshift(...new Template('{% set strftime_now = format_day %}').parsed.body)
  return template
}

/** The day that Llama's templates name where none is given, at midnight: an answer must not depend on when it is asked for. */
const DAY: Readonly<Record<string, string>> = {
  Y: '2024',
  y: '24',
  m: '07',
  B: 'July',
  b: 'Jul',
  d: '26',
  j: '208',
  A: 'Friday',
  a: 'Fri',
  H: '00',
  I: '12',
  p: 'AM',
  M: '00',
  S: '00',
  '%': '%',
}

/** That day as Python's `strftime` writes it: in English, without a leading zero where there is a `-` (`%-d`). */
function formatDay(format: string): string {
  return format.replace(/%(-?)([^])/g, (directive, short: string, name: string) => {
    const text = DAY[name]
    if (text === undefined) throw new RangeError(`No part of a day is written as ${directive}.`)
    return short ? text.replace(/^0/, '') : text
  })
}

function attempt<T>(file: string, expected: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    // Its message may hold what was rendered.
    throw new ModelFormatError(file, expected, 'one that fails', { cause })
  }
}
