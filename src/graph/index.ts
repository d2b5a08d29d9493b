export {
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
  type DecoderGraphs,
} from './autoencoder/autoencoder-decoder.ts'
export { buildAutoencoderKlFlux2Encoder } from './autoencoder/autoencoder-encoder.ts'
export { buildBertBranch, buildBertTrunk, buildTreeScorer } from './bert/bert-tree.ts'
export { buildCacheExtender, type CacheShape, layerNames } from './layers/cache-extender.ts'
export { type DecoderStage, type DividedDecoder } from './autoencoder/divided-decoder.ts'
export { buildFlux2Transformer } from './transformers/flux2-transformer.ts'
export { GraphBuilder, single, type NodeOptions, type Value, type WeightBytes } from '../onnx/graph-builder.ts'
export { buildQwen3Decoder, type Qwen3DecoderOptions } from './qwen3/qwen3-decoder.ts'
export { buildQwen3Encoder, type Qwen3EncoderOptions } from './qwen3/qwen3-encoder.ts'
export { type Qwen3Head } from './qwen3/qwen3-heads.ts'
export { type RotaryCache } from './layers/rotary-cache.ts'
export { type LinearMode, type GraphContext } from './layers/weights.ts'
export { buildZImageCaption, buildZImageTransformer } from './transformers/z-image-transformer.ts'
