import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle, type ImageBundleName } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import { autoencoderKlConfigSchema, autoencoderKlFlux2ConfigSchema } from '../../models/configs/autoencoder-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { readSafetensors } from '../../models/weights/read-safetensors.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { describeAutoencoderKlDecoder, describeAutoencoderKlFlux2Decoder } from './autoencoder-decoder.ts'
import { buildAutoencoderKlFlux2Encoder } from './autoencoder-encoder.ts'

const backend = await cpuBackend()

describe('autoencoders agree with diffusers', () => {
  async function check(name: ImageBundleName, run: (bundle: ImageBundle, path: string) => Promise<void>) {
    const bundle = await materializeBundle(name)
    await run(bundle, join(bundle.folder, 'vae')).finally(() => bundle.remove())
  }

  async function compare({ expected }: ImageBundle, graph: BuiltGraph, from: string, to: string): Promise<void> {
    const [input, output] = [from.split('.')[1]!, to.split('.')[1]!]
    const feeds = { [input]: float32(readFloats(expected, from), ...expected.get(from)!.shape) }
    const outputs = await runGraph(backend, graph, feeds)
    expect(outputs[output]?.dims).toEqual(expected.get(to)!.shape)
    expect(largestRelativeError(outputs[output], readFloats(expected, to))).toBeLessThan(1e-5)
  }

  describe.each(['fused', 'explicit'] as const)('with %s attention', (attention) => {
    it.each(['z-image-turbo', 'z-image-base'] as const)('AutoencoderKL decoding: %s', (name) =>
      check(name, async (bundle, path) => {
        const config = await readConfig(openFolder(path), 'config.json', autoencoderKlConfigSchema, 'a configuration')
        const graph = describeAutoencoderKlDecoder(config, await readSafetensors(path), { attention }).whole()
        await compare(bundle, graph, 'decode.latents', 'decode.image')
      }),
    )

    it.each(['klein-distilled', 'klein-base'] as const)('AutoencoderKLFlux2 both ways: %s', (name) =>
      check(name, async (bundle, path) => {
        const config = await readConfig(
          openFolder(path),
          'config.json',
          autoencoderKlFlux2ConfigSchema,
          'a configuration',
        )
        const weights = await readSafetensors(path)
        const decoder = describeAutoencoderKlFlux2Decoder(config, weights, { attention }).whole()
        await compare(bundle, decoder, 'decode.latents', 'decode.image')
        const encoder = buildAutoencoderKlFlux2Encoder(config, weights, { attention })
        await compare(bundle, encoder, 'encode.image', 'encode.tokens')
      }),
    )
  })
})
