import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { materializeBundle, type ImageBundle, type ImageBundleName } from '../../test/helpers/image-bundle.ts'
import { autoencoderKlConfigSchema, autoencoderKlFlux2ConfigSchema } from '../models/configs/autoencoder-config.ts'
import { flux2ConfigSchema } from '../models/configs/flux2-config.ts'
import { readConfig } from '../models/configs/read-config.ts'
import { zImageConfigSchema } from '../models/configs/z-image-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { readSafetensors } from '../models/weights/read-safetensors.ts'
import type { WeightIndex } from '../models/weights/weight-index.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import {
  buildAutoencoderKlFlux2Encoder,
  buildFlux2Transformer,
  buildZImageCaption,
  buildZImageTransformer,
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
  type DecoderGraphs,
} from './index.ts'
import { checkWithOnnx, hasOnnxPackage } from './test-support/onnx-checker.ts'

const FORMS = ['fused', 'explicit'] as const
const TRANSFORMER_FORMS = [...FORMS, 'rounded'] as const

type Build = (files: ModelFiles, weights: WeightIndex) => Promise<BuiltGraph[]>

const parse = async <Schema extends Parameters<typeof readConfig>[2]>(files: ModelFiles, schema: Schema) =>
  readConfig(files, 'config.json', schema, 'a configuration')

const listGraphs = ({ whole, divided: { begin, stages } }: DecoderGraphs) => [
  whole(),
  begin(),
  ...stages.flatMap(({ measured, result }) => [...measured.map(({ graph }) => graph()), result()]),
]

const GRAPHS: readonly { bundle: ImageBundleName; part: string; build: Build }[] = [
  {
    bundle: 'z-image-base',
    part: 'transformer',
    build: async (files, weights) => {
      const config = await parse(files, zImageConfigSchema)
      return TRANSFORMER_FORMS.flatMap((attention) =>
        [buildZImageCaption, buildZImageTransformer].map((build) =>
          build(config, weights, { linear: 'float', attention }),
        ),
      )
    },
  },
  {
    bundle: 'klein-distilled',
    part: 'transformer',
    build: async (files, weights) => {
      const config = await parse(files, flux2ConfigSchema)
      return TRANSFORMER_FORMS.map((attention) =>
        buildFlux2Transformer(config, weights, { linear: 'float', attention }),
      )
    },
  },
  {
    bundle: 'z-image-base',
    part: 'vae',
    build: async (files, weights) => {
      const config = await parse(files, autoencoderKlConfigSchema)
      return FORMS.flatMap((attention) => listGraphs(describeAutoencoderKlDecoder(config, weights, { attention })))
    },
  },
  {
    bundle: 'klein-distilled',
    part: 'vae',
    build: async (files, weights) => {
      const config = await parse(files, autoencoderKlFlux2ConfigSchema)
      const decoder = listGraphs(describeAutoencoderKlFlux2Decoder(config, weights))
      return [buildAutoencoderKlFlux2Encoder(config, weights), ...decoder]
    },
  },
]

describe('graphs of image models', () => {
  const bundles = new Map<ImageBundleName, ImageBundle>()
  beforeAll(async () => {
    for (const name of ['z-image-base', 'klein-distilled'] as const) bundles.set(name, await materializeBundle(name))
  })
  afterAll(async () => {
    for (const bundle of bundles.values()) await bundle.remove()
  })

  it.skipIf(!hasOnnxPackage()).each(GRAPHS)('onnx.checker accepts $part of $bundle', async (row) => {
    const folder = join(bundles.get(row.bundle)!.folder, row.part)
    const graphs = await row.build(openFolder(folder), await readSafetensors(folder))
    expect(graphs.length).toBeGreaterThan(0)
    checkWithOnnx(graphs, folder)
  })

  it.each(GRAPHS)('a missing or misshapen tensor of $part of $bundle is named', async (row) => {
    const folder = join(bundles.get(row.bundle)!.folder, row.part)
    const weights = await readSafetensors(folder)
    const name = weights.names.find((tensor) => /mid_block.*conv1\.weight|(blocks|layers).*norm_q/.test(tensor))
    const without = { ...weights, get: (tensor: string) => (tensor === name ? undefined : weights.get(tensor)) }
    const files = openFolder(folder)
    await expect(row.build(files, without)).rejects.toMatchObject({
      code: 'model_format',
      expected: `a tensor ${name}`,
    })
    const entry = { ...weights.get(name!)!, shape: [3] }
    const misshapen = { ...weights, get: (tensor: string) => (tensor === name ? entry : weights.get(tensor)) }
    await expect(row.build(files, misshapen)).rejects.toMatchObject({ code: 'model_format', got: '[3]' })
  })
})
