export {
  describeAutoencoderKlDecoder, describeAutoencoderKlFlux2Decoder, type DecoderGraphs,
} from './autoencoder-decoder.ts'
export { buildAutoencoderKlFlux2Encoder } from './autoencoder-encoder.ts'
export { buildCacheExtender, type CacheShape, layerNames } from './cache-extender.ts'
export { type DecoderStage, type DividedDecoder } from './divided-decoder.ts'
export { buildFlux2Transformer } from './flux2-transformer.ts'
export { GraphBuilder, single, type NodeOptions, type Value, type WeightBytes } from './graph-builder.ts'
export { buildQwen3Decoder, type Qwen3DecoderOptions } from './qwen3-decoder.ts'
export { buildQwen3Encoder, type Qwen3EncoderOptions } from './qwen3-encoder.ts'
export { type Qwen3Head } from './qwen3-heads.ts'
export { type RotaryCache } from './rotary-cache.ts'
export { type LinearMode, type ModelGraph } from './weights.ts'
export { buildZImageCaption, buildZImageTransformer } from './z-image-transformer.ts'
