import { type Child, openChild } from '../measure/child.ts'
import type { TorchStep } from './torch-side.ts'

export interface StableDiffusionStep extends Omit<TorchStep, 'precision'> {
  readonly precision: 'f32' | 'q8_0'
}

/**
 * The same network in stable-diffusion.cpp, in a process of its own. Undefined without `STABLE_DIFFUSION_STEP`, the path of
 * a program that drives `FluxRunner` and `ZImageRunner` alone:
 *
 *     PROGRAM flux2|z-image FOLDER SIDE TEXT_TOKENS THREADS f32|q8_0
 *
 * It reads FOLDER/model.safetensors (float32, names of diffusers), says a JSON string with its version when it is ready,
 * and then runs a step for every line on stdin, each followed by a line of milliseconds.
 */
export async function openStableDiffusion(step: StableDiffusionStep): Promise<Child | undefined> {
  const program = process.env['STABLE_DIFFUSION_STEP']
  if (!program) return undefined
  const { kind, folder, side, textTokens, threads, precision } = step
  return openChild(program, [kind, folder, side, textTokens, threads, precision].map(String))
}
