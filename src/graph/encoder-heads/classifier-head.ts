import type { ModernBertConfig } from '../../models/configs/modernbert-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { gelu, tanh } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { gather } from '../../onnx/ops/shape.ts'
import { affine, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'
import { declareRows, dense, type EncoderHead, type EncoderModel } from './encoder-head.ts'

/**
 * `BertForSequenceClassification`: the pooler on the first row of each text, then the classifier. Input: `rows` int64 [K], those rows; output:
 * `logits` float32 [K, labels].
 */
export function bertClassifierHead(labels: number): EncoderHead {
  return (model, x, width) => {
    const { g } = model
    const pooled = tanh(g, dense(model, gather(g, x, declareRows(g)), 'bert.pooler.dense', width, width))
    g.output('logits', dense(model, pooled, 'classifier', labels, width), 'float32', ['rows', labels])
  }
}

/**
 * `ModernBertForSequenceClassification`: the first row or the mean of each text, a dense layer, then the classifier. Input: `rows` int64 [K] as
 * {@link bertClassifierHead} has, or `means` float32 [K, S], by which a product with all rows gives the means; output: `logits` float32 [K, labels].
 */
export function modernBertClassifierHead(labels: number, config: ModernBertConfig): EncoderHead {
  return (model, x, width) => {
    const { g } = model
    const pooled =
      config.classifier_pooling === 'cls'
        ? gather(g, x, declareRows(g))
        : matMul(g, g.input('means', 'float32', ['rows', 'sequence']), x)
    const inner = gelu(g, product(model, pooled, 'head.dense', config.classifier_bias, width))
    const shift = config.norm_bias ? floatWeight(model, 'head.norm.bias', [width]) : undefined
    const normed = layerNormalization(g, inner, floatWeight(model, 'head.norm.weight', [width]), shift, config.norm_eps)
    g.output('logits', dense(model, normed, 'classifier', labels, width), 'float32', ['rows', labels])
  }
}

function product(model: EncoderModel, x: Value, name: string, biased: boolean, width: number): Value {
  const rows = narrow(model, x)
  return widen(
    model,
    biased ? affine(model, rows, name, width, width) : linear(model, rows, `${name}.weight`, width, width),
  )
}
