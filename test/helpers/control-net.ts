import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'
import { type ImageBundle, imageFixture, materializeBundle, materializePart } from './image-bundle.ts'

/** The forms of Z-Image's ControlNet; see generate-image-control-fixtures.py. */
export const CONTROL_NETS = ['separate', 'shared', 'refined'] as const
export type ControlNetName = (typeof CONTROL_NETS)[number]

/** A run of a reference pipeline. */
interface ControlCase {
  readonly name: string
  readonly prompt: 'short' | 'long'
  readonly size: readonly [width: number, height: number]
  /** Size of the picture that is followed. */
  readonly control: readonly [width: number, height: number]
  readonly seed: number
  readonly steps: number
  readonly guidance: number
  readonly scale: number
  readonly mask?: readonly [left: number, top: number, right: number, bottom: number]
}

interface ControlCases {
  readonly bundle: 'z-image-turbo' | 'z-image-base'
  readonly forwards: number
  readonly cases: readonly ControlCase[]
}

export function readControlCases(name: ControlNetName): ControlCases {
  return JSON.parse(readFileSync(join(imageFixture(`controlnets/${name}`), 'cases.json'), 'utf8')) as ControlCases
}

/** A tiny pipeline with this ControlNet, and what the reference computes with both. */
export async function materializeControlled(name: ControlNetName): Promise<ImageBundle & { expected: WeightIndex }> {
  const bundle = await materializeBundle(readControlCases(name).bundle)
  const fixture = `controlnets/${name}`
  await materializePart(fixture, join(bundle.folder, 'controlnet'))
  await rm(join(bundle.folder, 'controlnet', 'expected.safetensors'))
  return { ...bundle, expected: await readSafetensors(join(imageFixture(fixture), 'expected.safetensors')) }
}
