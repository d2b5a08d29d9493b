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

/**
 * Lets the `onnx` package check models, all in one process, as loading the package takes longer than a check. Their weight files must be in `folder`,
 * where the models are written.
 */
export function checkWithOnnx(models: readonly BuiltGraph[], folder: string): void {
  const paths = models.map((_, index) => join(folder, `model-${index}.onnx`))
  for (const [index, { bytes }] of models.entries()) writeFileSync(paths[index]!, bytes)
  execFileSync(PYTHON, [SCRIPT, ...paths], { stdio: 'pipe' })
}
