import { ModelFormatError } from '../../errors/index.ts'
import { openDeciderHead } from '../../graph/index.ts'
import { parseModernBertConfig } from '../../models/configs/modernbert-config.ts'
import { indexFiles } from '../../models/weights/index-weights.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { readOpenDeciderFile } from '../opendecider-file.ts'
import { openDeciderOptions } from '../opendecider-options.ts'
import { spacedText } from '../spaced-json.ts'
import { BERT_NAMES, readSpecialNames, specialIds } from '../tokenizer/special-names.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts'
import { encodeWithin } from './encode-within.ts'
import type { EncoderFormat } from './encoder-format.ts'
import { openModernBert } from './encoder-models.ts'
import { createEncoderQuestionReader } from './encoder-question-reader.ts'

/**
 * Opens opendecider-nano: a ModernBERT encoder with `opendecider.json` and the head in `head.safetensors`. It has no
 * temperatures.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openOpenDeciderNano({ backend, files, config, unread }: DecisionBundle): Promise<Decider> {
  const meta = await readOpenDeciderFile(files)
  if (meta?.kind !== 'nano') {
    const got = meta === undefined ? 'no such file' : meta.kind
    throw new ModelFormatError(`${files.location}/opendecider.json`, 'kind nano beside an encoder', got)
  }
  const encoder = parseModernBertConfig(config.json, config.file)
  const weights = await indexFiles(files, ['model.safetensors', 'head.safetensors'])
  const [tokenizer, names] = await Promise.all([
    loadTokenizer(files, { ordinary: true, vocabulary: encoder.vocab_size }),
    readSpecialNames(files),
  ])
  const model = await openModernBert(backend, { config: encoder, weights, unread }, openDeciderHead, '')
  const positions = Math.min(meta.max_len, encoder.max_position_embeddings)
  const reader = createEncoderQuestionReader(model, openDeciderFormat(tokenizer, positions, names))
  return createDecider(reader, { name: meta.name ?? files.name, tokenizer })
}

/** `[CLS] question: … [SEP] [MASK] option … [SEP] input: state [SEP]`, and the head's logits at the masks. */
export function openDeciderFormat(tokenizer: Tokenizer, positions: number, names = BERT_NAMES): EncoderFormat {
  const { start, end, marker } = specialIds(tokenizer, names)
  const lead = tokenizer.encode('input:')
  return {
    positions,
    state(state) {
      const ids = tokenizer.encode(`input: ${spacedText(state)}`)
      return { lead, ids: ids.slice(lead.length) }
    },
    frame(question, refuse) {
      const read = (text: string) => encodeWithin(tokenizer.encode, text, positions, refuse)
      const before = [start, ...read(`question: ${spacedText(question.instructions ?? '')}`), end]
      const rows = openDeciderOptions(question).map((text) => {
        const row = before.length
        before.push(marker)
        for (const id of read(` ${text}`)) before.push(id)
        return row
      })
      before.push(end)
      return { prompts: [{ before, after: [end], rows }], readOut: ([logits]) => Float64Array.from(logits!) }
    },
  }
}
