import { type Child, openChild } from '../measure/child.ts'

export interface TorchStep {
  readonly kind: 'flux2' | 'z-image'
  readonly folder: string
  readonly side: number
  readonly textTokens: number
  readonly threads: number
  readonly precision: 'float32' | 'bfloat16'
}

/**
 * The same network in PyTorch, in a process of its own. Undefined without `PYTHON`, the path of an interpreter with
 * torch, safetensors and diffusers 0.40 or later.
 */
export async function openTorch(step: TorchStep): Promise<Child | undefined> {
  const python = process.env['PYTHON']
  if (!python) return undefined
  const { kind, folder, side, textTokens, threads, precision } = step
  const args = [kind, folder, side, textTokens, threads, precision].map(String)
  return openChild(python, ['bench/images/torch-step.py', ...args])
}
