import { createCpuBackend } from '../../src/backends/index.ts'
import { openDecider } from '../../src/decide/index.ts'
import { predictMemory, rewritesInt8 } from '../../src/engine/memory/predict-memory.ts'
import { openFolder } from '../../src/models/index.ts'

/*
 * Opens a decision model in a process of its own, and says how much memory that took and how much was predicted, in bytes.
 */

process.env['ORT_DISABLE_TELEMETRY'] = '1'
const [folder, when] = process.argv.slice(2) as [string, string]
const files = openFolder(folder)
const backend = await createCpuBackend({ threads: 1 })
if (when === 'predicted') {
  process.stdout.write(String((await predictMemory(files, { rewritesInt8: rewritesInt8(backend) })).open))
} else {
  const before = process.memoryUsage.rss()
  await openDecider({ backend, files })
  process.stdout.write(String(process.memoryUsage.rss() - before))
}
