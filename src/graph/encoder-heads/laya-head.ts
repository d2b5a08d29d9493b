import type { Value } from '../../onnx/graph-builder.ts'
import { add, gelu, relu } from '../../onnx/ops/elementwise.ts'
import { gather, split } from '../../onnx/ops/shape.ts'
import { textAttention } from '../layers/block-attention.ts'
import { linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { computeWeight, floatWeight } from '../layers/weights.ts'
import { declareRows, dense, type EncoderHead, type EncoderModel, torchNorm } from './encoder-head.ts'

/** Kinds of questions that the table of types has: choice, score, noul. */
const TYPES = 3
/** Width of a head of the layers behind the encoder. */
const HEAD_SIZE = 64

/**
 * Laya: the embedding of the question's type is added to all rows, transformer layers follow, and a scorer reads the rows of the markers
 * before the options. Inputs: `type_ids` int64 [S], the type of each row's question, and `rows` int64 [K]; output: `logits` float32 [K, 1].
 */
export function layaHead(layers: number): EncoderHead {
  return (model, x, width) => {
    const { g } = model
    const types = gather(
      g,
      floatWeight(model, 'type_emb.weight', [TYPES, width]),
      g.input('type_ids', 'int64', ['sequence']),
    )
    let rows = add(g, x, types)
    for (let i = 0; i < layers; i++) rows = transformerLayer(model, rows, `head.layers.${i}`, width)
    const markers = gather(g, rows, declareRows(g))
    const inner = gelu(g, dense(model, torchNorm(model, markers, 'scorer.0', width), 'scorer.1', width, width))
    g.output('logits', dense(model, inner, 'scorer.3', 1, width), 'float32', ['rows', 1])
  }
}

/** `torch.nn.TransformerEncoderLayer` with its norms first and ReLU. */
function transformerLayer(model: EncoderModel, x: Value, name: string, width: number): Value {
  const { g } = model
  const count = Math.max(1, Math.floor(width / HEAD_SIZE))
  const normed = narrow(model, torchNorm(model, x, `${name}.norm1`, width))
  const product = linear(model, normed, `${name}.self_attn.in_proj_weight`, 3 * width, width)
  const bias = computeWeight(model, `${name}.self_attn.in_proj_bias`, [3 * width])
  const [query, key, value] = split(g, add(g, product, bias), [width, width, width])
  const heads = { count, size: width / count }
  const attended = widen(model, textAttention(model, { query, key, value }, heads, model.texts))
  const after = add(g, x, dense(model, attended, `${name}.self_attn.out_proj`, width, width))
  const up = relu(g, dense(model, torchNorm(model, after, `${name}.norm2`, width), `${name}.linear1`, 4 * width, width))
  return add(g, after, dense(model, up, `${name}.linear2`, width, 4 * width))
}
