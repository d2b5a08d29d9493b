import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuiltGraph } from '../../onnx/built-graph.ts'

const SCRIPT = fileURLToPath(new URL('./check-onnx.py', import.meta.url))

/** Interpreter for checks against other implementations; `PYTHON` chooses another than `python3`. */
const PYTHON = process.env['PYTHON'] ?? 'python3'

export function hasOnnxPackage(): boolean {
  return spawnSync(PYTHON, ['-c', 'import onnx']).status === 0
}

/** Lets the `onnx` package check a model. Its weight files must be in `folder`, where the model is written. */
export function checkWithOnnx(model: BuiltGraph, folder: string): void {
  const path = join(folder, 'model.onnx')
  writeFileSync(path, model.bytes)
  execFileSync(PYTHON, [SCRIPT, path], { stdio: 'pipe' })
}
