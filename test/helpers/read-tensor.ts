import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'

/** The bytes of a stored tensor, in a buffer of their own. */
export function readTensorBytes(weights: WeightIndex, name: string): ArrayBuffer {
  const entry = weights.get(name)
  if (entry === undefined) throw new Error(`no tensor ${name} in ${weights.folder}`)
  const bytes = readFileSync(join(weights.folder, entry.file)).subarray(entry.offset, entry.offset + entry.length)
  return new Uint8Array(bytes).buffer
}

export function readFloats(weights: WeightIndex, name: string): Float32Array {
  return new Float32Array(readTensorBytes(weights, name))
}

export function readIntegers(weights: WeightIndex, name: string): number[] {
  return Array.from(new BigInt64Array(readTensorBytes(weights, name)), Number)
}
