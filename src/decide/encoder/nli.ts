import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { bertClassifierHead, modernBertClassifierHead } from '../../graph/index.ts'
import { parseBertConfig } from '../../models/configs/bert-config.ts'
import type { ModelConfig } from '../../models/configs/model-config.ts'
import { parseModernBertConfig } from '../../models/configs/modernbert-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import { LIMITS, type Question, type Text } from '../../schemas/index.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { spacedText } from '../spaced-json.ts'
import { readSpecialNames, type SpecialNames } from '../tokenizer/special-names.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts'
import { loadWordPieceTokenizer, readBertSettings } from '../tokenizer/word-piece-tokenizer.ts'
import { encodeWithin } from './encode-within.ts'
import type { EncoderFormat, FramedQuestion, Refuse } from './encoder-format.ts'
import { openBert, openModernBert } from './encoder-models.ts'
import { createEncoderQuestionReader, type EncoderModel } from './encoder-question-reader.ts'
import { bertPair, type PairFrame, readPairFrame } from './pair-frame.ts'

/** Of the classifier's outputs, the one for what follows and the one for what contradicts. */
interface NliLabels {
  readonly count: number
  readonly entailment: number
  readonly contradiction: number
}

/**
 * Opens a cross-encoder for natural language inference on BERT or ModernBERT: a sequence classifier with a label for entailment.
 *
 * @throws ModelFormatError naming the file that is missing or wrong, or labels that are not of inference
 */
export async function openNli(bundle: DecisionBundle): Promise<Decider> {
  const { files, config } = bundle
  const labels = readLabels(config)
  const classifier = config.modelType === 'bert' ? readBert(bundle, labels) : readModernBert(bundle, labels)
  const { vocab_size: vocabulary, max_position_embeddings: positions } = classifier.config
  const names = await readSpecialNames(files)
  const read = config.modelType === 'bert' ? readWordPieces : readBytePairs
  const { tokenizer, frame } = await read(files, names, vocabulary)
  const format = nliFormat(tokenizer, { labels, positions, frame })
  // Last, so that nothing is thrown while it holds memory.
  const reader = createEncoderQuestionReader(await classifier.open(), format)
  return createDecider(reader, { name: files.name, tokenizer })
}

/** The class of transformers frames pairs itself. */
async function readWordPieces(files: ModelFiles, names: SpecialNames, vocabulary: number) {
  const { normalizing, oneSegment } = await readBertSettings(files)
  const tokenizer = await loadWordPieceTokenizer(files, { vocabulary, normalizing })
  return { tokenizer, frame: { ...bertPair(names), oneSegment } }
}

async function readBytePairs(files: ModelFiles, names: SpecialNames, vocabulary: number) {
  const tokenizer = await loadTokenizer(files, { ordinary: true, vocabulary })
  return { tokenizer, frame: readPairFrame(tokenizer.postProcessor, names, `${files.location}/tokenizer.json`) }
}

/** A checkpoint whose configuration is known to be supported, about to be opened. */
interface Classifier {
  readonly config: { readonly vocab_size: number; readonly max_position_embeddings: number }
  open(): Promise<EncoderModel>
}

function readBert(
  { backend, files, unread, config: { json, file } }: DecisionBundle,
  { count }: NliLabels,
): Classifier {
  const config = parseBertConfig(json, file)
  if (config.type_vocab_size < 2) {
    throw new ModelFormatError(file, 'type_vocab_size of 2 or more, for pairs of texts', String(config.type_vocab_size))
  }
  const head = bertClassifierHead(count)
  return { config, open: async () => openBert(backend, { config, weights: await indexWeights(files), unread }, head) }
}

function readModernBert(
  { backend, files, unread, config: { json, file } }: DecisionBundle,
  { count }: NliLabels,
): Classifier {
  const config = parseModernBertConfig(json, file)
  const head = modernBertClassifierHead(count, config)
  return {
    config,
    open: async () => openModernBert(backend, { config, weights: await indexWeights(files), unread }, head, 'model.'),
  }
}

/** @throws ModelFormatError naming the labels that it has instead */
function readLabels({ json, file }: ModelConfig): NliLabels {
  const { data } = z.object({ id2label: z.record(z.string(), z.string()) }).safeParse(json)
  const labels = Object.entries(data?.id2label ?? {}).sort(([a], [b]) => Number(a) - Number(b))
  const find = (pattern: RegExp) => labels.findIndex(([, label]) => pattern.test(label))
  const entailment = find(/^entail/i)
  // Models of two labels call everything else by one name.
  const contradiction = find(/^(contradict|not_?entail)/i)
  if (entailment >= 0 && contradiction >= 0) return { count: labels.length, entailment, contradiction }
  const got = labels.map(([, label]) => label.slice(0, 40)).join(', ')
  throw new ModelFormatError(file, 'labels (id2label) for entailment and for contradiction', got || 'none')
}

interface NliParts {
  readonly labels: NliLabels
  readonly positions: number
  readonly frame: PairFrame
}

/**
 * The state is the premise; every option makes a hypothesis, whose logit of entailment is the option's. A noul without two criteria is one
 * hypothesis, by entailment against contradiction.
 */
export function nliFormat(tokenizer: Tokenizer, { labels, positions, frame }: NliParts): EncoderFormat {
  const [before, between, after] = [frame.before, frame.between, frame.after].map((tokens) =>
    tokens.map((token) => tokenizer.structural(token)),
  ) as [number[], number[], number[]]
  const prompt = (ids: readonly number[]) => ({
    before,
    after: [...between, ...ids, ...after],
    second: frame.oneSegment ? 0 : ids.length + after.length,
    rows: [0],
  })
  const perOption = (hypotheses: readonly number[][]): FramedQuestion => ({
    prompts: hypotheses.map(prompt),
    readOut: (logits) => Float64Array.from(logits, (of) => of[labels.entailment]!),
  })
  const [holds, fails] = [labels.entailment, labels.contradiction]
  const single = (hypothesis: readonly number[], [yes, no]: readonly [number, number]): FramedQuestion => ({
    prompts: [prompt(hypothesis)],
    readOut: ([of]) => Float64Array.of(of![yes]!, of![no]!),
  })
  return {
    positions,
    state: (state) => ({ lead: [], ids: tokenizer.encode(spacedText(state)) }),
    frame(question, refuse) {
      const read = (text: string) => encodeWithin(tokenizer.encode, text, positions, refuse)
      const about = (option: string) => read(hypothesisOf(question, option, refuse))
      if (question.type !== 'noul') return perOption(optionTexts(question).map(about))
      const [yes, no] = [textOf(question.criteria?.true), textOf(question.criteria?.false)]
      if (yes !== '' && no !== '') return perOption([yes, no].map(about))
      if (no !== '') return single(about(no), [fails, holds])
      return single(yes === '' ? read(textOf(question.instructions)) : about(yes), [holds, fails])
    },
  }
}

/** Instructions with `{}` are a template for the option; others stand before it. */
function hypothesisOf({ instructions }: Question, option: string, refuse: Refuse): string {
  const text = textOf(instructions)
  const places = text.split('{}').length - 1
  if (places === 0) return text === '' ? `This example is ${option}.` : `${text} ${option}`
  // A short template of many places and one long option would be hundreds of megabytes, so they are not joined to be counted.
  if ((places - 1) * option.length > LIMITS.textCharacters) {
    refuse(
      `has ${places} places ({}) for an option of ${option.length} characters, and may repeat ${LIMITS.textCharacters} of them`,
    )
  }
  // By a function, since `$$` and its like in a string would stand for something else.
  return text.replaceAll('{}', () => option)
}

/** The meaning of an option where it has one, else its name. */
function optionTexts(question: Exclude<Question, { type: 'noul' }>): string[] {
  if (question.type === 'score') return question.criteria.map(textOf)
  return Object.entries(question.criteria).map(([key, meaning]) => textOf(meaning) || key)
}

function textOf(value: Text | undefined): string {
  return value === null || value === undefined ? '' : spacedText(value)
}
