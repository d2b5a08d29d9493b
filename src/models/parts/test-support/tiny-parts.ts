import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { materializeBundle } from '../../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../../test/helpers/read-tensor.ts'
import {
  asFloats,
  type PlainTensor,
  type PlainTensors,
  roundToFp8,
  type SingleFileBundle,
  type SingleFilePart,
  toSingleFile,
  type Written,
} from '../../../../test/helpers/single-files.ts'
import { temporaryFolder } from '../../../../test/helpers/temporary-folder.ts'
import { openFloats } from '../../open-model.ts'
import { unpackWeights } from '../../quantize/unpack-weights.ts'
import { openTensors } from '../../weights/open-tensors.ts'
import { readSafetensors } from '../../weights/read-safetensors.ts'

/** A tiny bundle whose part is taken out, to be put back in another format, as long as the test runs. */
export interface TinyParts {
  readonly work: string
  readonly folder: string
  /** What the authors' file of the part has. */
  readonly stored: PlainTensors
  /** The tensors that a part shows, as numbers. */
  show(part: SingleFilePart): Promise<PlainTensors>
  expectSame(part: SingleFilePart, expected: PlainTensors): Promise<void>
}

export async function takePart(name: SingleFileBundle, part: SingleFilePart): Promise<TinyParts> {
  const work = temporaryFolder()
  const bundle = await materializeBundle(name)
  onTestFinished(bundle.remove)
  const folder = join(bundle.folder, part)
  const stored = toSingleFile(name, part, await readSafetensors(folder))
  await rm(join(folder, 'diffusion_pytorch_model.safetensors'))
  const show = (shown: SingleFilePart) => showPart(bundle.folder, shown, join(work, 'cache'))
  return {
    work,
    folder: bundle.folder,
    stored,
    show,
    async expectSame(shownPart, expected) {
      const shown = await show(shownPart)
      expect([...shown.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
      const list = (tensors: PlainTensors) => [...expected.keys()].map((key) => [key, describeTensor(tensors.get(key))])
      expect(list(shown)).toEqual(list(expected))
    },
  }
}

async function showPart(folder: string, part: SingleFilePart, cache: string): Promise<PlainTensors> {
  const files = openFloats(folder).within(part)
  const made = await files.made?.()
  const never = new AbortController().signal
  const weights = made
    ? await readSafetensors(await unpackWeights(made, made.path!, never, { TESSERA_CACHE: cache }))
    : (await openTensors(files)).weights
  return new Map(
    weights.names.map((name) => {
      const { shape, dtype } = weights.get(name)!
      return [name, { shape, values: dtype === 'I64' ? new Float32Array(1) : readFloats(weights, name) }]
    }),
  )
}

/** Shape and bits. */
function describeTensor(tensor: PlainTensor | undefined): string | undefined {
  const bytes = tensor && Buffer.from(tensor.values.buffer, tensor.values.byteOffset, tensor.values.byteLength)
  return bytes && `[${tensor.shape}] ${createHash('sha256').update(bytes).digest('hex')}`
}

const isMatrix = (name: string, tensors: PlainTensors) =>
  name.endsWith('.weight') && tensors.get(name)!.shape.length === 2

/** Matrices in FP8 with a scale of this name beside each, and what their numbers are then. */
export function encodeFp8(tensors: PlainTensors, spelling: string): { written: Written[]; rounded: PlainTensors } {
  const rounded: PlainTensors = new Map(tensors)
  const written = asFloats(tensors).flatMap((tensor): Written[] => {
    if (!isMatrix(tensor.name, tensors)) return [tensor]
    const { bytes, scale, rounded: numbers } = roundToFp8(tensors.get(tensor.name)!)
    rounded.set(tensor.name, numbers)
    const stem = tensor.name.replace(/weight$/, '')
    return [
      { ...tensor, dtype: 'F8_E4M3', data: bytes },
      { name: `${stem}${spelling}`, dtype: 'F32', shape: [], data: Float32Array.of(scale) },
      { name: `${stem}input_scale`, dtype: 'F32', shape: [], data: Float32Array.of(7) },
    ]
  })
  return { written, rounded }
}
