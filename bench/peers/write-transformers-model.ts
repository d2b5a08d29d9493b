import { copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GraphBuilder } from '../../src/graph/index.ts'
import type { LanguageModelGraph } from '../../src/graph/language-model/language-model-graph.ts'
import {
  groupedHeads,
  projectKeyValues,
  feedForward,
  projectOutput,
  projectQuery,
  rmsNorm,
} from '../../src/graph/language-model/language-model-layer.ts'
import { gatherRows, linear } from '../../src/graph/layers/linear.ts'
import { computeRotaryCache } from '../../src/graph/layers/rotary-cache.ts'
import { parseLanguageModelConfig, readSafetensors } from '../../src/models/index.ts'
import { groupQueryAttention } from '../../src/onnx/ops/attention.ts'
import { add, cast, sub } from '../../src/onnx/ops/elementwise.ts'
import { gather, reshape, shapeOf } from '../../src/onnx/ops/shape.ts'

/**
 * The bundle as a model of @huggingface/transformers: the operators and weights of this library's decoder, with the
 * inputs and outputs that its exports have (`past_key_values.i.key`, `logits`). Logits are those of the last token, as
 * with its `num_logits_to_keep`, since nothing else is read.
 */
export async function provideTransformersModel(bundle: string): Promise<{ folder: string; name: string }> {
  const target = `${bundle}-transformers`
  await rm(target, { recursive: true, force: true })
  await mkdir(join(target, 'onnx'), { recursive: true })
  const file = join(bundle, 'config.json')
  const json = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  // Its own checks of quantisation know other formats; the graph says everything.
  await writeFile(join(target, 'config.json'), JSON.stringify({ ...json, quantization_config: undefined }))
  await copyFile(join(bundle, 'tokenizer.json'), join(target, 'tokenizer.json'))
  await link(join(bundle, 'model.safetensors'), join(target, 'onnx', 'model.safetensors'))
  const config = parseLanguageModelConfig(json, file)
  const g = new GraphBuilder('qwen3')
  const weights = await readSafetensors(bundle)
  const { quantization_config: quantization } = config
  const form = {
    linear: { accuracyLevel: 4 },
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    prefix: 'model.',
  } as const
  build({ g, config, weights, quantization, ...form })
  await writeFile(join(target, 'onnx', 'model.onnx'), g.build().bytes)
  return { folder: dirname(target), name: basename(target) }
}

function build(model: LanguageModelGraph): void {
  const { g, config } = model
  const { hidden_size: hidden, vocab_size: vocabulary, head_dim: size } = config
  const ids = g.input('input_ids', 'int64', ['batch_size', 'sequence'])
  const mask = g.input('attention_mask', 'int64', ['batch_size', 'total'])
  const total = cast(g, gather(g, shapeOf(g, mask), g.integers([1])), 'int32')
  const { cos, sin } = computeRotaryCache(config.max_position_embeddings, size, config.layers[0]!.rope)
  const dims = [config.max_position_embeddings, size / 2]
  const context = {
    positionIds: g.input('position_ids', 'int64', ['batch_size', 'sequence']),
    totalSequenceLength: reshape(g, total, []),
    seqlensK: sub(g, total, g.initializer('one', 'int32', [1], Int32Array.of(1))),
    attentionBias: undefined,
    cosCache: g.initializer('cos_cache', 'float32', dims, cos),
    sinCache: g.initializer('sin_cache', 'float32', dims, sin),
  }
  let x = gatherRows(model, 'model.embed_tokens.weight', reshape(g, ids, [-1]), vocabulary, hidden)
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const layer = `model.layers.${i}`
    const cache = ['batch_size', config.num_key_value_heads, 'past', size]
    const normed = rmsNorm(model, x, `${layer}.input_layernorm.weight`)
    const attended = groupQueryAttention(
      g,
      {
        ...context,
        ...projectKeyValues(model, normed, layer),
        query: projectQuery(model, normed, layer),
        pastKey: g.input(`past_key_values.${i}.key`, 'float32', cache),
        pastValue: g.input(`past_key_values.${i}.value`, 'float32', cache),
      },
      groupedHeads(config),
    )
    const rows = reshape(g, attended.output, [-1, config.num_attention_heads * size])
    g.output(`present.${i}.key`, attended.presentKey, 'float32', cache)
    g.output(`present.${i}.value`, attended.presentValue, 'float32', cache)
    x = add(g, x, projectOutput(model, rows, layer))
    x = add(g, x, feedForward(model, rmsNorm(model, x, `${layer}.post_attention_layernorm.weight`), layer))
  }
  const last = gather(g, x, g.integers([-1]))
  const normed = rmsNorm(model, last, 'model.norm.weight')
  const logits = linear(model, normed, 'model.embed_tokens.weight', vocabulary, hidden)
  g.output('logits', reshape(g, logits, [1, 1, vocabulary]), 'float32', ['batch_size', 1, vocabulary])
}
