import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addTensor } from '../../test/helpers/add-tensor.ts'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { type ImageBundleName, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { openImagePipeline } from './index.ts'

const backend = await cpuBackend()

/** Opens the bundle with one tensor more in a part, in the last of its files where these are shards. */
async function openWith(name: ImageBundleName, part: string, tensor: string): Promise<void> {
  await using bundle = await materializeBundle(name)
  const folder = join(bundle.folder, part)
  const file = (await readdir(folder)).findLast((entry) => entry.endsWith('.safetensors'))
  await addTensor(join(folder, file!), tensor)
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  await pipeline.dispose()
}

it.each([
  ['z-image-turbo', 'transformer', 'layers.0.attention.to_q.bias'],
  ['z-image-turbo', 'transformer', 'all_x_embedder.2-1.scale'],
  ['z-image-turbo', 'vae', 'decoder.mid_block.attentions.1.to_q.weight'],
  ['z-image-turbo', 'text_encoder', 'model.layers.0.self_attn.q_proj.bias'],
  ['klein-distilled', 'transformer', 'time_guidance_embed.guidance_embedder.linear_1.weight'],
  ['klein-distilled', 'vae', 'encoder.down_blocks.0.attentions.0.to_q.weight'],
  ['klein-distilled', 'vae', 'bn.weight'],
] as const)('%s is refused with a tensor in its %s that nothing is computed from: %s', async (name, part, tensor) => {
  await expect(openWith(name, part, tensor)).rejects.toMatchObject({
    code: 'model_format',
    message: expect.stringContaining(tensor),
  })
})

// The bundles of FLUX.2 have bn.num_batches_tracked in their autoencoder, as published ones do.
it.each([
  ['z-image-turbo', 'transformer', 'all_final_layer.4-1.linear.bias'],
  ['z-image-turbo', 'vae', 'encoder.conv_in.scale'],
] as const)('%s is opened with a tensor in its %s that published checkpoints carry: %s', openWith)
