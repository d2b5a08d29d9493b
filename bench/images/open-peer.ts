import { type Child, openChild } from '../measure/child.ts'
import { provideRandomModel } from '../models/random-checkpoint.ts'
import { type Family, TEXT_TOKENS } from './step-model.ts'

/** With `PYTHON`, the path of an interpreter with torch, safetensors and diffusers 0.40 or later. */
const torch = (precision: string) => ({ variable: 'PYTHON', script: ['bench/images/torch-step.py'], precision })

/**
 * With `STABLE_DIFFUSION_STEP`, the path of a program that drives `FluxRunner` and `ZImageRunner` alone:
 *
 *     PROGRAM flux2|z-image FOLDER SIDE TEXT_TOKENS THREADS f32|q8_0
 *
 * It reads FOLDER/model.safetensors (float32, names of diffusers), says a JSON string with its version when it is ready,
 * and then runs a step for every line on stdin, each followed by a line of milliseconds.
 */
const stableDiffusion = (precision: string) => ({ variable: 'STABLE_DIFFUSION_STEP', script: [], precision })

/** Other runtimes, each with weights of one type. */
const PEERS = {
  torch_float32: torch('float32'),
  torch_bfloat16: torch('bfloat16'),
  stable_diffusion_f32: stableDiffusion('f32'),
  stable_diffusion_q8_0: stableDiffusion('q8_0'),
}
export type Peer = keyof typeof PEERS
export const PEER_NAMES = Object.keys(PEERS) as Peer[]

/** The same network in another runtime, in a process of its own. Undefined without what it needs. */
export async function openPeer(
  peer: Peer,
  { kind, model }: Family,
  { side, threads }: { readonly side: number; readonly threads: number },
): Promise<Child | undefined> {
  const { variable, script, precision } = PEERS[peer]
  const program = process.env[variable]
  if (!program) return undefined
  const folder = await provideRandomModel(model, 'float32')
  return openChild(program, [...script, kind, folder, side, TEXT_TOKENS, threads, precision].map(String))
}
