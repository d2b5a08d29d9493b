import { gelu } from '../../onnx/ops/elementwise.ts'
import { gather } from '../../onnx/ops/shape.ts'
import { declareRows, dense, type EncoderHead, torchNorm } from './encoder-head.ts'

/**
 * opendecider-nano: linear, gelu, norm, linear on the rows of the markers before the options. Input: `rows` int64 [K]; output: `logits` float32
 * [K, 1].
 */
export const openDeciderHead: EncoderHead = (model, x, width) => {
  const { g } = model
  const markers = gather(g, x, declareRows(g))
  const inner = torchNorm(model, gelu(g, dense(model, markers, '0', width, width)), '2', width)
  g.output('logits', dense(model, inner, '3', 1, width), 'float32', ['rows', 1])
}
