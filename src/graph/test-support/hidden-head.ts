import type { EncoderHead } from '../encoder-heads/encoder-head.ts'

/** No head: the last hidden states are the output `hidden` float32 [S, width]. */
export const hiddenHead: EncoderHead = ({ g }, x, width) => g.output('hidden', x, 'float32', ['sequence', width])
