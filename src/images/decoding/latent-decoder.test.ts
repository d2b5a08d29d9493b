import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, type ImageBundle, type ImageBundleName } from '../../../test/helpers/image-bundle.ts'
import { drawFloats } from '../../../test/helpers/pseudo-random.ts'
import type { CreateSession, Feeds, Tensor } from '../../backends/backend.ts'
import { AbortedError } from '../../errors/index.ts'
import {
  describeAutoencoderKlDecoder,
  describeAutoencoderKlFlux2Decoder,
  type DecoderGraphs,
} from '../../graph/index.ts'
import { autoencoderKlConfigSchema, autoencoderKlFlux2ConfigSchema } from '../../models/configs/autoencoder-config.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { readPart } from '../read-part.ts'
import { openLatentDecoder } from './latent-decoder.ts'
import type { Planes } from './planes.ts'

const FREE = { turn: async () => {} }
/** Decodes everything in bands of a few rows. */
const BANDED = { memoryBudget: 0, bandBytes: 8192 }

interface Opened {
  readonly graphs: DecoderGraphs
  readonly channels: number
  readonly scale: number
}

const backend = await cpuBackend()
let bundles: ImageBundle[] = []
afterAll(async () => {
  for (const bundle of bundles) await bundle.remove()
})

async function folderOf(name: ImageBundleName): Promise<string> {
  const bundle = await materializeBundle(name)
  bundles = [...bundles, bundle]
  return bundle.folder
}

async function openKl(name: ImageBundleName): Promise<Opened> {
  const files = openFolder(join(await folderOf(name), 'vae'))
  const { config, weights } = await readPart(files, autoencoderKlConfigSchema, 'an AutoencoderKL')
  const scale = 2 ** (config.block_out_channels.length - 1)
  return { graphs: describeAutoencoderKlDecoder(config, weights), channels: config.latent_channels, scale }
}

async function openFlux2(folder: string): Promise<Opened> {
  const { config, weights } = await readPart(
    openFolder(join(folder, 'vae')),
    autoencoderKlFlux2ConfigSchema,
    'an AutoencoderKLFlux2',
  )
  const scale = 2 ** config.block_out_channels.length
  return { graphs: describeAutoencoderKlFlux2Decoder(config, weights), channels: 4 * config.latent_channels, scale }
}

/** Latents of which one half is flat, so that rows of the picture have statistics far apart. */
function drawLatents(channels: number, height: number, width: number): Planes {
  const data = drawFloats('latents', channels * height * width, 0, 1.5).map((value, i) =>
    i % (height * width) < (height * width) / 2 ? 0.2 : value,
  )
  return { channels, height, width, data }
}

async function decode({ graphs, channels, scale }: Opened, latents: Planes, options: object): Promise<Planes> {
  const decoder = await openLatentDecoder(backend, graphs, { channels, scale, ...options })
  return decoder.decode(latents, FREE).finally(() => decoder.dispose())
}

const AUTOENCODERS: readonly [string, () => Promise<Opened>][] = [
  ['z-image-base', () => openKl('z-image-base')],
  ['z-image-turbo', () => openKl('z-image-turbo')],
  ['klein-base', async () => openFlux2(await folderOf('klein-base'))],
  ['klein-distilled', async () => openFlux2(await folderOf('klein-distilled'))],
  ['image-mini', () => openFlux2('models/image-mini')],
]

describe.each(AUTOENCODERS)('%s in bands', (name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })

  it.each([
    [12, 5],
    [7, 9],
    [1, 3],
  ])('makes the picture that it makes whole, of %d x %d latents', async (rows, columns) => {
    const latents = drawLatents(opened.channels, rows, columns)
    const whole = await decode(opened, latents, {})
    const banded = await decode(opened, latents, BANDED)
    expect([banded.channels, banded.height, banded.width]).toEqual([3, whole.height, whole.width])
    const largest = whole.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const error = banded.data.reduce((most, value, i) => Math.max(most, Math.abs(value - whole.data[i]!)), 0)
    // Sums of more levels round differently in bands by more.
    expect(error / largest).toBeLessThan(name === 'image-mini' ? 3e-5 : 1e-5)
    expect(opened.graphs.divided.stages.length).toBeGreaterThan(3)
  })
})

describe('decoding in bands', () => {
  let opened: Opened
  let latents: Planes
  beforeAll(async () => {
    opened = await openFlux2(await folderOf('klein-distilled'))
    latents = drawLatents(opened.channels, 12, 6)
  })

  /** Bytes of the largest value that crosses a run, and how many sessions are open. */
  function watch() {
    const seen = { open: 0, most: 0, runs: 0, largest: 0 }
    const count = (tensors: Feeds = {}) => {
      for (const tensor of Object.values(tensors))
        seen.largest = Math.max(seen.largest, (tensor as Tensor).data.byteLength)
    }
    const createSession: CreateSession = async (model) => {
      const session = await backend.createSession(model)
      seen.most = Math.max(seen.most, ++seen.open)
      let disposed = false
      return {
        ...session,
        async run(feeds) {
          seen.runs++
          count(feeds)
          const results = await session.run(feeds)
          // The beginning, small as it is, is computed whole; bands have a `result`.
          if (results['result']) count({ result: results['result'] })
          return results
        },
        dispose() {
          if (!disposed) seen.open--
          disposed = true
          return session.dispose()
        },
      }
    }
    return { seen, watched: { createSession } }
  }

  it('has no value in a run that grows with the picture, nor more than one session beside the whole decoder', async () => {
    const { seen, watched } = watch()
    const decoder = await openLatentDecoder(watched, opened.graphs, {
      ...opened,
      ...BANDED,
      bandBytes: 2 ** 16,
    })
    await decoder.decode(drawLatents(opened.channels, 30, 6), FREE)
    // Bands carry two rows more on each side than the bytes they are planned for.
    expect(seen.largest).toBeLessThan(2 * 2 ** 16)
    expect([seen.open, seen.most]).toEqual([1, 2])
    await decoder.dispose()
    expect(seen.open).toBe(0)
  })

  it('asks for a turn before every run, and reports each', async () => {
    const { seen, watched } = watch()
    const decoder = await openLatentDecoder(watched, opened.graphs, { ...opened, ...BANDED })
    const total = decoder.countRuns(latents)
    const reports: unknown[] = []
    let turns = 0
    await decoder.decode(latents, { turn: async () => void turns++, onProgress: (report) => reports.push(report) })
    expect([turns, seen.runs]).toEqual([total, total])
    expect(total).toBeGreaterThan(50)
    expect(reports).toEqual(Array.from({ length: total + 1 }, (_, done) => ({ stage: 'decoding', done, total })))
    await decoder.dispose()
  })

  it.each([0, 1, 7, 40])('stops at turn %d when the caller aborts, and closes what it opened', async (last) => {
    const { seen, watched } = watch()
    const decoder = await openLatentDecoder(watched, opened.graphs, { ...opened, ...BANDED })
    let turns = 0
    const turn = async () => {
      if (turns++ === last) throw new AbortedError()
    }
    await expect(decoder.decode(latents, { turn })).rejects.toMatchObject({ code: 'aborted' })
    expect([turns, seen.runs, seen.open]).toEqual([last + 1, last, 1])
    await decoder.dispose()
  })

  it('begins where a picture no longer fits into the budget', async () => {
    const { graphs, channels, scale } = opened
    // The largest value has 8 channels at the full size; four of it are held at once.
    const memoryBudget = 12 * 6 * scale ** 2 * 8 * 4 * 4
    const decoder = await openLatentDecoder(backend, graphs, { channels, scale, memoryBudget })
    expect(decoder.countRuns({ height: 12, width: 6 })).toBe(1)
    expect(decoder.countRuns({ height: 13, width: 6 })).toBeGreaterThan(10)
    await decoder.dispose()
  })
})
