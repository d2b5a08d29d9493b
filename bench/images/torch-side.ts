import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface TorchStep {
  readonly kind: 'flux2' | 'z-image'
  readonly folder: string
  readonly side: number
  readonly textTokens: number
  readonly threads: number
  readonly precision: 'float32' | 'bfloat16'
}

/** Runs steps of the same network in PyTorch, in a process of its own. */
export interface TorchSide {
  step(): Promise<void>
  close(): void
}

/** Undefined without `PYTHON`, the path of an interpreter with torch, safetensors and diffusers 0.40 or later. */
export async function openTorch({ kind, folder, side, textTokens, threads, precision }: TorchStep): Promise<TorchSide | undefined> {
  const python = process.env['PYTHON']
  if (!python) return undefined
  const args = ['bench/images/torch-step.py', kind, folder, side, textTokens, threads, precision].map(String)
  const child = spawn(python, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const torch: TorchSide = {
    async step() {
      child.stdin.write('\n')
      const { done } = await lines.next()
      if (done) throw new Error(`${python} ended without an answer; it needs torch, safetensors and diffusers`)
    },
    close: () => child.stdin.end(),
  }
  await torch.step()
  return torch
}
