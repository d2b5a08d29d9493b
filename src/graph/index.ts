export {
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
  type DecoderGraphs,
} from './autoencoder/autoencoder-decoder.ts'
export {
  buildAutoencoderKlEncoder,
  buildAutoencoderKlFlux2Encoder,
  encoderMemory,
} from './autoencoder/autoencoder-encoder.ts'
export { buildTinyDecoder } from './autoencoder/tiny-decoder.ts'
export { buildBertEncoder } from './bert/bert-encoder.ts'
export { buildBertBranch, buildBertTrunk, buildTreeScorer } from './bert/bert-tree.ts'
export { buildCacheExtender, type CacheShape, layerNames } from './layers/cache-extender.ts'
export { type DecoderStage, type DividedDecoder } from './autoencoder/divided-decoder.ts'
export { buildFlux2Transformer } from './transformers/flux2-transformer.ts'
export { GraphBuilder, type Value } from '../onnx/graph-builder.ts'
export { buildLanguageModel, type LanguageModelOptions } from './language-model/language-model.ts'
export { buildHiddenStates } from './language-model/hidden-states.ts'
export { buildLayerPeaks } from './language-model/layer-peaks.ts'
export { type LanguageModelHead } from './language-model/language-model-heads.ts'
export { chooseAttention } from './layers/choose-attention.ts'
export { chooseCompute, chooseLinear } from './layers/choose-linear.ts'
export { BLOCKED } from './layers/precision.ts'
export { refuseUnread } from './refuse-unread.ts'
export { blockMemory as zImageBlockMemory } from './transformers/z-image-block.ts'
export { buildZImageControl, controlMemory as zImageControlMemory } from './transformers/z-image-control.ts'
export { buildZImageStages, type HintPlaces } from './transformers/z-image-stages.ts'
export { buildZImageCaption, buildZImageTransformer } from './transformers/z-image-transformer.ts'
export { bertClassifierHead, modernBertClassifierHead } from './encoder-heads/classifier-head.ts'
export { type EncoderHead } from './encoder-heads/encoder-head.ts'
export { layaHead } from './encoder-heads/laya-head.ts'
export { openDeciderHead } from './encoder-heads/marker-head.ts'
export { buildModernBertEncoder } from './modernbert/modernbert-encoder.ts'
