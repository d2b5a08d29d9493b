import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import colors from 'picocolors'
import { type CudaLibraries, findCudaLibraries } from '../../backends/cuda-libraries.ts'
import { detectBackends } from '../../backends/index.ts'
import { BackendUnavailableError, InvalidRequestError } from '../../errors/index.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { printResult, runCommand } from '../run-command.ts'
import { pruneRuntime } from './prune-runtime.ts'

export const setupCommand = defineCommand({
  args: {
    what: {
      type: 'positional',
      required: true,
      description: 'cuda: fetches libraries, some hundred MB; prune: makes node_modules smaller',
    },
    platform: {
      type: 'string',
      description: 'prune: the platform that stays, such as linux-arm64 (default: this one)',
      valueHint: 'name',
    },
    pages: {
      type: 'boolean',
      default: true,
      description: 'prune: keep what browsers load',
      negativeDescription: 'prune: remove what browsers load, too',
    },
    'dry-run': { type: 'boolean', description: 'prune: only say what would be removed' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { what, json = false, platform = `${process.platform}-${process.arch}`, pages } = args
      if (what === 'cuda') return setUpCuda(json)
      if (what !== 'prune') throw new InvalidRequestError('what', `must be cuda or prune, got '${what}'`)
      const dryRun = args['dry-run'] ?? false
      const pruned = await pruneRuntime({ platform, pages, dryRun })
      const verb = dryRun ? 'would remove' : 'removed'
      printResult(json, pruned, () => `${verb} ${formatBytes(pruned.bytes)}; what ${platform} uses is left`)
    }),
})

async function setUpCuda(json: boolean): Promise<void> {
  const found = findCudaLibraries()
  if (found.missing.length > 0) await installProvider(found)
  const status = (await detectBackends()).find(({ name }) => name === 'cuda')!
  if (!status.available) throw new BackendUnavailableError('cuda', status.reason!, status.remedy!)
  printResult(json, status, () => `${colors.green('cuda')} computes here\n${colors.dim(found.provider)}`)
}

/**
 * Runs the install script of onnxruntime-node, which `ignore-scripts` and package managers keep from running by itself.
 */
async function installProvider({ runtime }: CudaLibraries): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const reason = `onnxruntime-node has CUDA for Linux on x64 only, this is ${process.platform} ${process.arch}`
    throw new BackendUnavailableError('cuda', reason, "use another backend; on Windows 'dml'")
  }
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'cuda12' }
  // Its words go to stderr, since stdout is for results.
  const script = join(runtime, 'script', 'install.js')
  const child = spawn(process.execPath, [script], { env, cwd: runtime, stdio: ['ignore', 2, 2] })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve))
  const { missing } = findCudaLibraries(runtime)
  if (code === 0 && missing.length === 0) return
  const reason = `the install script of onnxruntime-node ended with ${code}, without ${missing.join(' and ')}`
  throw new BackendUnavailableError('cuda', reason, 'see what it said above; it downloads from api.nuget.org')
}
