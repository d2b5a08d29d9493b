import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBackend, type Backend } from '../src/backends/index.ts'
import { openDecider } from '../src/decide/index.ts'
import type { PictureRequest } from '../src/images/image-pipeline.ts'
import { openImagePipeline } from '../src/images/index.ts'
import { openFolder } from '../src/models/index.ts'
import { parseDecisionRequest } from '../src/schemas/index.ts'
import { cpuBackend } from './helpers/cpu-backend.ts'
import { furthest } from './helpers/furthest.ts'
import { generatePicture } from './helpers/generate-picture.ts'
import { materializeBundle, PROMPTS, readCases } from './helpers/image-bundle.ts'
import { pictureDifference } from './helpers/picture-difference.ts'
import { spreadOf } from './helpers/spread-of.ts'
import { TINY_MANIFEST, writeTinyBundle } from './helpers/tiny-bundle.ts'
import { explainMissingWebgpu } from './helpers/webgpu-device.ts'
import { withInt8 } from './helpers/with-int8.ts'

const cpu = await cpuBackend()

const missing = await explainMissingWebgpu()
const context = { turn: async () => {} }
const folderOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** A software device compiles every kernel for the processor, which takes it most of a minute when that is busy. */
const PATIENCE = 900_000

describe.skipIf(missing !== undefined)(`WebGPU in Node ${missing === undefined ? '' : `(${missing})`}`, () => {
  let webgpu: Backend
  beforeAll(async () => {
    webgpu = (await createBackend({ backend: 'webgpu', threads: 1 })).backend
  }, PATIENCE)
  afterAll(async () => {
    await webgpu?.dispose()
    await cpu?.dispose()
  })

  it('was tested before use, and chose its form of attention by that', () => {
    const { selfTest, attention } = webgpu
    const { attention: full, 'cached-attention': cached, ...others } = selfTest!.maxError
    expect(Math.max(...Object.values(others))).toBeLessThan(0.03)
    expect(attention).toBe(Math.max(full, cached) < 2e-3 ? 'fused' : 'explicit')
    expect(selfTest!.ok).toBe(attention === 'fused')
  })

  it(
    'decides as the cpu does',
    async () => {
      const read = async (name: string) => JSON.parse(await readFile(folderOf(`examples/${name}.json`), 'utf8'))
      const request = parseDecisionRequest({ state: await read('ticket'), questions: await read('questions') })
      const [onWebgpu, onCpu] = (await Promise.all(
        // The cpu computes in float32 here, where it can be several times as fast in integers.
        [webgpu, withInt8(cpu, false)].map(async (backend) => {
          const decider = await openDecider({ backend, files: openFolder(folderOf('models/decide-mini')) })
          const logits = await decider.logits(request, context)
          await decider.dispose()
          return logits.flat().flatMap((values) => [...values])
        }),
      )) as [number[], number[]]
      expect(onCpu.length).toBeGreaterThan(0)
      expect(furthest(onWebgpu, onCpu)).toBeLessThan(1e-3)
    },
    PATIENCE,
  )

  it(
    'reads a state of several chunks as the cpu does, with a cache that stays on the device',
    async () => {
      expect(webgpu.createDeviceSession).toBeDefined()
      const folder = await writeTinyBundle({ manifest: TINY_MANIFEST, seed: 3 })
      const questions = {
        urgent: { type: 'noul', instructions: 'Is it urgent?' },
        mood: { type: 'score', criteria: ['calm', 'cross'] },
      }
      const request = parseDecisionRequest({ state: 'the pump is hot '.repeat(34), questions })
      const read = async (backend: Backend) => {
        const decider = await openDecider({ backend, files: openFolder(folder) })
        expect(decider.countTokens(request).state).toBeGreaterThan(512)
        const logits = await decider.logits(request, context)
        await decider.dispose()
        return logits.flat().flatMap((values) => [...values])
      }
      const [onWebgpu, onCpu] = [await read(webgpu), await read(cpu)]
      expect(furthest(onWebgpu, onCpu)).toBeLessThan(1e-4)
    },
    PATIENCE,
  )

  it(
    'makes the picture of Z-Image that the cpu makes',
    async () => {
      const [onWebgpu, onCpu] = [await makePicture(webgpu), await makePicture(cpu)]
      expect(onWebgpu.length).toBe(onCpu.length)
      expect(pictureDifference(onWebgpu, onCpu).most).toBeLessThanOrEqual(1)
    },
    PATIENCE,
  )

  it(
    'changes with the embedded model, stored in 8 bits and half precision, what the cpu changes',
    async () => {
      // It is of the kind of FLUX.2 klein. A picture takes a device in software most of two minutes; a change has every part of one in it.
      const source = await makeEmbedded(cpu, { prompt: 'a 3d apple on white', references: [] })
      const change = { prompt: 'make the background green', references: [source] }
      const { data: onWebgpu } = await makeEmbedded(webgpu, change)
      const { data: onCpu } = await makeEmbedded(cpu, change)
      expect(spreadOf(onCpu)).toBeGreaterThan(50)
      expect(pictureDifference(onWebgpu, onCpu).mean).toBeLessThan(1)
    },
    PATIENCE,
  )
})

async function makeEmbedded(backend: Backend, request: Pick<PictureRequest, 'prompt' | 'references'>) {
  const pipeline = await openImagePipeline({ backend, files: openFolder(folderOf('models/image-mini')) })
  const picture = await generatePicture(pipeline, { ...request, width: 64, height: 64, seed: 0, steps: 1 }, context)
  await pipeline.dispose()
  return picture
}

async function makePicture(backend: Backend): Promise<Uint8Array> {
  await using bundle = await materializeBundle('z-image-turbo')
  const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
  const { seed } = readCases('z-image-turbo')[0]!
  const request = { prompt: PROMPTS.short, width: 64, height: 64, seed, steps: 1, references: [] }
  const picture = await generatePicture(pipeline, request, context)
  await pipeline.dispose()
  return picture.data
}
