export { quantizationConfigSchema, type QuantizationConfig } from './quantization-config.ts'
export { parseQwen3Config, type Qwen3Config } from './qwen3-config.ts'
export { readSafetensors } from './read-safetensors.ts'
export { type SafetensorsType, type TensorEntry, type WeightIndex } from './weight-index.ts'
