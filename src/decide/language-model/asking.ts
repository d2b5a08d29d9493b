import { ModelFormatError } from '../../errors/index.ts'
import { readChatTemplate } from '../../models/chat-template.ts'
import type { DecisionBundle } from '../decision-family.ts'
import type { Manifest } from '../manifest.ts'
import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols, readLetters } from './answer-symbols.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'
import { CHAT_1, type ChatWording } from './chat-wording.ts'
import { OPENDECIDER_SMALL } from './opendecider-small.ts'
import { readBegin } from './read-begin.ts'
import { createSymbolReadout, createVocabularyReadout, type Readout } from './readout.ts'
import type { Template } from './template.ts'

/** How a language model is asked, and how its answers are read. */
export interface Asking {
  readonly template: Template
  readonly readout: Readout
}

/** Templates of chat models. */
const TEMPLATES: ReadonlyMap<string, { wording: ChatWording; readSymbols: typeof readChatSymbols }> = new Map([
  ['chat-1', { wording: CHAT_1, readSymbols: readChatSymbols }],
  ['opendecider-small', { wording: OPENDECIDER_SMALL, readSymbols: readLetters }],
])

/** @throws ModelFormatError naming what the checkpoint asks for and is not supported */
export async function readAsking(
  { files, symbols: { bothOrders, symbolMass } }: DecisionBundle,
  { template, readout }: Manifest,
  tokenizer: TemplateTokenizer,
): Promise<Asking> {
  if (template === 'opendecider-nano') {
    throw new ModelFormatError(`${files.location}/opendecider.json`, 'kind small beside a language model', 'nano')
  }
  const known = TEMPLATES.get(template)
  if (known === undefined || readout !== 'symbols') {
    const expected = 'a language model of template chat-1 with readout symbols'
    throw new ModelFormatError(`${files.location}/tessera.json`, expected, `${template} with ${readout}`)
  }
  const { wording, readSymbols } = known
  const chat = await readChatTemplate(files)
  if (chat === undefined && wording !== CHAT_1) {
    throw new ModelFormatError(`${files.location}/tokenizer_config.json`, 'a chat template', 'none')
  }
  const begin = await readBegin(files)
  // A token that the vocabulary does not have would be read as text.
  if (begin !== undefined) tokenizer.structural(begin)
  const format = readChatFormat(chat, wording, begin)
  // Where a prompt ends in a blank or a line end, an answer has no blank of its own.
  const isBehind = /\s$/.test(format.after)
  const encode = isBehind ? tokenizer.encodeBehind : tokenizer.encode
  const symbols = readSymbols({ encode }, `${files.location}/tokenizer.json`)
  return {
    template: createChatTemplate(tokenizer, format, { symbols, wording, bothOrders }),
    readout: symbolMass ? createVocabularyReadout(symbols) : createSymbolReadout(symbols),
  }
}
