import { execFile } from 'node:child_process'
import type { ProviderName } from './backend.ts'
import { type CudaLibraries, describeLibrary, findCudaLibraries, findMissingLibrary } from './cuda-libraries.ts'
import { loadOnnxruntimeNode, type NodeRuntime } from './onnxruntime-node.ts'
import { describePlatform } from './platform.ts'
import { plugAndPlayFlags } from './plug-and-play.ts'
import { buildAddModel } from './probe-models.ts'
import { resolvePackage } from './resolve-package.ts'
import { isSingleExecutable } from './single-executable.ts'

export type ProbeResult = { available: true } | { available: false; reason: string; remedy: string }

const REMEDIES: Record<ProviderName, string> = {
  cuda: 'install an NVIDIA driver, CUDA 12 and cuDNN 9 (README of onnxruntime-node), or choose another backend',
  webgpu: 'install a GPU driver with Vulkan, Metal or Direct3D 12 (on Linux also libvulkan1), or use another backend',
  coreml: 'choose another backend, such as cpu',
  dml: 'run on Windows with a DirectX 12 device, or choose another backend',
}
/** Where onnxruntime-node has them at all. */
const PLATFORMS: Record<ProviderName, string> = {
  cuda: 'Linux on x64',
  webgpu: 'Linux on x64, Windows and macOS',
  coreml: 'macOS',
  dml: 'Windows',
}
const INSTALL_CUDA = 'npx tessera-onnx setup cuda'
const PROBE_TIMEOUT_MS = 30_000
const IN_SINGLE_EXECUTABLE = {
  available: false,
  reason: 'the app is a single executable, which the process in which it would be tried cannot be started from',
  remedy: 'run the app by node, or choose the backend cpu',
} as const

/**
 * Tries a provider for real: adds two vectors on it with the CPU fallback switched off. That happens in a child
 * process, since the providers' native code writes to stderr when there is no device, and can end the process.
 */
export async function probeProvider(name: ProviderName): Promise<ProbeResult> {
  const runtime = await loadOnnxruntimeNode(name)
  const missing = explainMissingProvider(name, runtime)
  if (missing) return missing
  if (isSingleExecutable()) return IN_SINGLE_EXECUTABLE
  const failure = await runProbe(name).catch(explainForbidden)
  if (failure === undefined) return { available: true }
  if (typeof failure === 'object') return failure
  const library =
    name === 'cuda' && process.platform === 'linux' ? await findMissingLibrary(findCudaLibraries().provider) : undefined
  if (library !== undefined) {
    const reason = `the library ${describeLibrary(library)} is not installed, or not where the loader looks`
    return { available: false, reason, remedy: `${REMEDIES.cuda}; the loader also looks into LD_LIBRARY_PATH` }
  }
  return { available: false, reason: failure, remedy: REMEDIES[name] }
}

/** What can be known without starting the provider: that this build lacks it, or its separate libraries. */
export function explainMissingProvider(
  name: ProviderName,
  runtime: Pick<NodeRuntime, 'listSupportedBackends'>,
  cuda: Pick<CudaLibraries, 'missing'> = findCudaLibraries(),
): Extract<ProbeResult, { available: false }> | undefined {
  const entry = runtime.listSupportedBackends().find((candidate) => candidate.name === name)
  if (entry === undefined) {
    const reason = `onnxruntime-node has no ${name} provider for ${describePlatform()}, only for ${PLATFORMS[name]}`
    return { available: false, reason, remedy: 'choose another backend, such as cpu' }
  }
  if (name !== 'cuda' || entry.bundled) return undefined
  if (cuda.missing.length === 0) return undefined
  const reason = `${cuda.missing.join(' and ')} of onnxruntime-node are not installed`
  return { available: false, reason, remedy: INSTALL_CUDA }
}

/** Node's permission model may forbid the child process. */
function explainForbidden(error: NodeJS.ErrnoException): Extract<ProbeResult, { available: false }> {
  if (error.code !== 'ERR_ACCESS_DENIED') throw error
  const reason = "Node's permission model forbids the process in which it would be tried"
  return { available: false, reason, remedy: 'start Node with --allow-child-process, or choose the backend cpu' }
}

/** Undefined when the provider computed, else what it said. */
function runProbe(name: ProviderName): Promise<string | undefined> {
  const model = Buffer.from(buildAddModel().bytes).toString('base64')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...plugAndPlayFlags(), '-e', PROBE_SCRIPT, resolvePackage('onnxruntime-node'), name, model],
      // Electron's executable is a Node only with its variable set. Nobody has asked for the runtime's reports on a probe.
      {
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '', ORT_DISABLE_TELEMETRY: '1' },
        timeout: PROBE_TIMEOUT_MS,
      },
      (error, stdout) => {
        if (stdout.endsWith('computed')) return resolve(undefined)
        // onnxruntime puts the source line and the failed condition in front of what happened.
        const said = stdout
          .replace(/\s+/g, ' ')
          .replace(/^(?:\/onnxruntime_src\/|[A-Z]:\\).* was false\. /, '')
          .trim()
        resolve(said || `the probe process ended without an answer (${error?.signal ?? error?.code ?? 'no output'})`)
      },
    )
  })
}

// The script is text, so that the same probe runs from source, from the built package and from an app's own bundle.
const PROBE_SCRIPT = `
const [runtime, provider, model] = process.argv.slice(1)
const ort = require(runtime)
const vector = (values) => new ort.Tensor('float32', Float32Array.from(values), [4])
ort.InferenceSession.create(Buffer.from(model, 'base64'), {
  executionProviders: [provider],
  logSeverityLevel: 4,
  extra: { session: { disable_cpu_ep_fallback: '1' } },
})
  .then((session) => session.run({ a: vector([1, 2, 3, 4]), b: vector([10, 20, 30, 40]) }))
  .then(({ y }) => (String(y.data) === '11,22,33,44' ? 'computed' : 'the provider computed a wrong sum'))
  .catch((error) => String(error.message))
  .then((answer) => process.stdout.write(answer, () => process.exit(0)))
`
