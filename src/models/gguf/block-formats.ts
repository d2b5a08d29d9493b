import type { BlockFormat } from './block-format.ts'
import { K_BLOCKS } from './k-blocks.ts'
import { PLAIN_BLOCKS } from './plain-blocks.ts'

/** The types of ggml that keep numbers in blocks, by name. */
export const BLOCK_FORMATS: Readonly<Record<string, BlockFormat>> = { ...PLAIN_BLOCKS, ...K_BLOCKS }
