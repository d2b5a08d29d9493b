import type { ModernBertConfig } from '../../models/modernbert-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { gelu, tanh } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { head as firstRows, reduceMean } from '../../onnx/ops/shape.ts'
import { affine, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'
import type { EncoderHead, EncoderModel } from './encoder-head.ts'
import { dense } from './marker-head.ts'

/** `BertForSequenceClassification`: the pooler on the first row, then the classifier. Output: `logits` float32 [1, labels]. */
export function bertClassifierHead(labels: number, prefix: string): EncoderHead {
  return (model, x, width) => {
    const { g } = model
    const pooled = tanh(g, dense(model, firstRows(g, x, 1, 0), `${prefix}pooler.dense`, width, width))
    g.output('logits', dense(model, pooled, 'classifier', labels, width), 'float32', [1, labels])
  }
}

/** `ModernBertForSequenceClassification`: the first row or the mean of all, a dense layer, then the classifier. */
export function modernBertClassifierHead(labels: number, config: ModernBertConfig): EncoderHead {
  return (model, x, width) => {
    const { g } = model
    const pooled = config.classifier_pooling === 'cls' ? firstRows(g, x, 1, 0) : reduceMean(g, x, 0)
    const inner = gelu(g, product(model, pooled, 'head.dense', config.classifier_bias, width))
    const shift = config.norm_bias ? floatWeight(model, 'head.norm.bias', [width]) : undefined
    const normed = layerNormalization(g, inner, floatWeight(model, 'head.norm.weight', [width]), shift, config.norm_eps)
    g.output('logits', dense(model, normed, 'classifier', labels, width), 'float32', [1, labels])
  }
}

function product(model: EncoderModel, x: Value, name: string, biased: boolean, width: number): Value {
  const rows = narrow(model, x)
  return widen(
    model,
    biased ? affine(model, rows, name, width, width) : linear(model, rows, `${name}.weight`, width, width),
  )
}
