export {
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
  type DecoderGraphs,
} from './autoencoder/autoencoder-decoder.ts'
export { buildAutoencoderKlFlux2Encoder } from './autoencoder/autoencoder-encoder.ts'
export { buildBertEncoder } from './bert/bert-encoder.ts'
export { buildBertBranch, buildBertTrunk, buildTreeScorer } from './bert/bert-tree.ts'
export { buildCacheExtender, type CacheShape, layerNames } from './layers/cache-extender.ts'
export { type DecoderStage, type DividedDecoder } from './autoencoder/divided-decoder.ts'
export { buildFlux2Transformer } from './transformers/flux2-transformer.ts'
export { GraphBuilder, single, type NodeOptions, type Value, type WeightBytes } from '../onnx/graph-builder.ts'
export { buildLanguageModel, type LanguageModelOptions } from './language-model/language-model.ts'
export { buildHiddenStates, type HiddenStatesOptions } from './language-model/hidden-states.ts'
export { type LanguageModelHead } from './language-model/language-model-heads.ts'
export { chooseLinear } from './layers/choose-linear.ts'
export { type RotaryCache } from './layers/rotary-cache.ts'
export { type LinearMode, type GraphContext } from './layers/weights.ts'
export { buildZImageCaption, buildZImageTransformer } from './transformers/z-image-transformer.ts'
export { bertClassifierHead, modernBertClassifierHead } from './encoder-heads/classifier-head.ts'
export { type EncoderHead } from './encoder-heads/encoder-head.ts'
export { layaHead } from './encoder-heads/laya-head.ts'
export { openDeciderHead } from './encoder-heads/marker-head.ts'
export { buildModernBertEncoder } from './modernbert/modernbert-encoder.ts'
