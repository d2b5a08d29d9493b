import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, materializePart } from '../../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { loadSharpCodec } from '../../engine/worker/load-sharp-codec.ts'
import { openTask } from '../../engine/worker/open-task.ts'
import { openModel } from '../open-model.ts'
import { asVariant } from '../parts/test-support/as-variant.ts'
import { quantizeCheckpoint } from '../quantize/quantize-checkpoint.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { pullQuantized } from './pull-quantized.ts'
import { expectSame, readFiles } from './test-support/copies.ts'
import { type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

const out = () => join(work, 'copy', 'int8')
const pull = (hub: FakeHub) =>
  pullQuantized({ id: 'owner/model', out: out(), bits: 8, blockSize: 32, env: { HF_ENDPOINT: hub.url } })

it('makes a pipeline whose autoencoder is as it was', async () => {
  await using bundle = await materializeBundle('z-image-turbo')
  await using hub = await startFakeHub(await readFiles(bundle.folder))
  await pull(hub)
  for (const part of ['text_encoder', 'transformer', 'vae'])
    expect((await readdir(join(out(), part))).every((name) => !name.endsWith('.partial'))).toBe(true)
  await quantizeCheckpoint({ folder: bundle.folder, out: join(work, 'whole'), bits: 8, blockSize: 32 })
  for (const part of ['text_encoder', 'transformer', 'vae']) {
    const [expected, found] = await Promise.all([
      readSafetensors(join(work, 'whole', part)),
      readSafetensors(join(out(), part)),
    ])
    for (const name of expected.names) expectSame(name, found, expected)
  }
})

it('takes shards of a variant', async () => {
  await using bundle = await materializeBundle('z-image-base')
  for (const part of ['text_encoder', 'transformer']) await asVariant(join(bundle.folder, part))
  await using hub = await startFakeHub(await readFiles(bundle.folder))
  await pull(hub)
  const backend = await cpuBackend()
  const task = await openTask(openModel(out()), backend, loadSharpCodec)
  await task.dispose()
})

it('keeps the decoder of previews, so that the copy opens', async () => {
  await using bundle = await materializeBundle('z-image-turbo')
  await materializePart('preview-decoders/z-image-turbo', join(bundle.folder, 'preview_decoder'))
  await using hub = await startFakeHub(await readFiles(bundle.folder))
  await pull(hub)
  const expected = await readSafetensors(join(bundle.folder, 'preview_decoder'))
  const found = await readSafetensors(join(out(), 'preview_decoder'))
  expect(found.names).toEqual(expected.names)
  for (const name of expected.names) expectSame(name, found, expected)
  const backend = await cpuBackend()
  const task = await openTask(openModel(out()), backend, loadSharpCodec)
  await task.dispose()
})

it('takes models whose encoder has a folder', async () => {
  await using hub = await startFakeHub(await readFiles(fixtureFolder('julia')))
  await pull(hub)
  const encoder = JSON.parse(await readFile(join(out(), 'encoder', 'config.json'), 'utf8')) as object
  expect(encoder).toMatchObject({ quantization_config: { bits: 8, block_size: 32 } })
})
