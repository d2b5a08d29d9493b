import { BERT_MATRICES } from '../configs/bert-config.ts'
import { FLUX2_MATRICES } from '../configs/flux2-config.ts'
import { type Family, findFamily, JULIA, LAYA, type ModelConfig } from '../configs/model-config.ts'
import { MARKER_HEAD_MATRICES, MODERNBERT_MATRICES } from '../configs/modernbert-config.ts'
import { Z_IMAGE_MATRICES } from '../configs/z-image-config.ts'
import { Z_IMAGE_CONTROL_MATRICES } from '../configs/z-image-control-config.ts'
import { WITH_OR_WITHOUT_HEAD } from '../language-models/families.ts'
import { LANGUAGE_MODEL_MATRICES } from '../language-models/language-model-config.ts'

interface QuantizedFamily extends Family {
  readonly matrices: RegExp
}

/** Every kind of checkpoint that is quantised: models that answer, text encoders, and transformers by their class in diffusers. */
const QUANTIZED: readonly QuantizedFamily[] = [
  ...WITH_OR_WITHOUT_HEAD.map((family) => ({ ...family, matrices: LANGUAGE_MODEL_MATRICES })),
  {
    architectures: ['BertForSequenceClassification', 'TesseraTreeDecider', 'BertModel'],
    modelTypes: ['bert'],
    matrices: BERT_MATRICES,
  },
  {
    architectures: ['ModernBertForSequenceClassification', 'ModernBertModel'],
    modelTypes: ['modernbert'],
    matrices: MODERNBERT_MATRICES,
  },
  { architectures: [LAYA, JULIA], modelTypes: [], matrices: MARKER_HEAD_MATRICES },
  { architectures: ['Flux2Transformer2DModel'], modelTypes: [], matrices: FLUX2_MATRICES },
  { architectures: ['ZImageTransformer2DModel'], modelTypes: [], matrices: Z_IMAGE_MATRICES },
  { architectures: ['ZImageControlNetModel'], modelTypes: [], matrices: Z_IMAGE_CONTROL_MATRICES },
]

/** The file of a checkpoint that says how its weights are stored: that of the encoder where this has one of its own. */
export function findStorageFile({ architectures }: Pick<ModelConfig, 'architectures'>): string {
  return architectures.some((name) => name === LAYA || name === JULIA) ? 'encoder/config.json' : 'config.json'
}

/**
 * Names of the tensors that graphs of this kind of checkpoint read in fewer bits; all others stay as they are.
 *
 * @throws ModelFormatError naming a kind that is not known and all that are
 */
export function findMatrices(config: ModelConfig): RegExp {
  const { _class_name: part } = config.json
  const architectures = typeof part === 'string' ? [part] : config.architectures
  return findFamily(QUANTIZED, { ...config, architectures }).matrices
}
