import { ModelFormatError } from '../../errors/index.ts'
import { readChatTemplate } from '../../models/chat-template.ts'
import type { DecisionBundle } from '../decision-family.ts'
import type { Manifest } from '../manifest.ts'
import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { createBranchTemplate } from './branch-template.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'
import { createPointerReadout, createSymbolReadout, createVocabularyReadout, type Readout } from './readout.ts'
import type { Template } from './template.ts'

/** How a language model is asked, and how its answers are read. */
export interface Asking {
  readonly template: Template
  readonly readout: Readout
}

/** @throws ModelFormatError naming what the checkpoint asks for and is not supported */
export async function readAsking(
  { files, symbols: { bothOrders, symbolMass } }: DecisionBundle,
  { template, readout }: Manifest,
  tokenizer: TemplateTokenizer,
): Promise<Asking> {
  if (template === 'branch-1' && readout === 'pointer') {
    return { template: createBranchTemplate(tokenizer), readout: createPointerReadout() }
  }
  if (template !== 'chat-1' || readout !== 'symbols') {
    const expected = 'template branch-1 with readout pointer, or chat-1 with symbols, of a language model'
    throw new ModelFormatError(`${files.location}/tessera.json`, expected, `${template} with ${readout}`)
  }
  const symbols = readChatSymbols(tokenizer, `${files.location}/tokenizer.json`)
  const format = readChatFormat(await readChatTemplate(files))
  return {
    template: createChatTemplate(tokenizer, format, symbols, bothOrders),
    readout: symbolMass ? createVocabularyReadout(symbols) : createSymbolReadout(symbols),
  }
}
