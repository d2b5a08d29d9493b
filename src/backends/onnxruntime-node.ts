import { BackendUnavailableError } from '../errors/index.ts'
import type { BackendName } from './backend.ts'
import type { OrtRuntime } from './open-session.ts'
import { describePlatform, isMusl } from './platform.ts'
import { requireTelemetryDecision } from './runtime-telemetry.ts'

export interface NodeRuntime extends OrtRuntime {
  /** The execution providers this build knows; `bundled` false means that its libraries come separately. */
  listSupportedBackends(): readonly { name: string; bundled: boolean }[]
}

type Import = () => Promise<unknown>

const importOnnxruntimeNode: Import = () => import('onnxruntime-node')

/**
 * Loads onnxruntime-node on first use, so that importing the library costs nothing and works where its native binding
 * can't load. It reports nothing to its maker unless the app has asked for that.
 *
 * @throws BackendUnavailableError naming the platform and what to do; InvalidRequestError in a worker thread of an app
 * that has not decided on those reports
 */
export async function loadOnnxruntimeNode(
  backend: BackendName,
  importRuntime: Import = importOnnxruntimeNode,
): Promise<NodeRuntime> {
  requireTelemetryDecision()
  try {
    const module = (await importRuntime()) as { default?: NodeRuntime } & NodeRuntime
    return module.default ?? module
  } catch (cause) {
    const { reason, remedy } = explainLoadFailure(cause)
    throw new BackendUnavailableError(backend, reason, remedy, { cause })
  }
}

/**
 * On Linux the libraries of all versions have one name, so that the first to be loaded stands for the others too, whose bindings
 * do not find their own version in it. Two copies of one version collide where both are loaded in the same thread.
 */
const OTHER_COPY = /libonnxruntime.*VERS_[\d.]+' not found|cannot register backend/

/** Where onnxruntime-node has a binding; `describePlatform` names them so. */
const HAS_BINDING = /^(linux (x64|arm64)|win32 (x64|arm64)|darwin arm64)$/

const WASM_INSTEAD = ", or use backend 'wasm'"

/** What helps where the binding should be and the system does not take it, by what the system says. The last holds for all else. */
const BROKEN_BINDING: readonly (readonly [RegExp, string])[] = [
  [/GLIBC|CXXABI/, 'use a newer system or image, such as node:22-slim'],
  [/failed to map segment/, 'put node_modules where programs may run (no mount with noexec), or raise `ulimit -v`'],
  [/permission denied/i, 'let the user of this process read all of node_modules/onnxruntime-node'],
  [/(?:)/, 'install onnxruntime-node anew, or copy all of node_modules/onnxruntime-node/bin to where the app runs'],
]

/** Windows says the same of every library that is missing or too old, and what is missing there is nearly always this one. */
const WINDOWS_RUNTIME =
  'install the newest Visual C++ Redistributable (https://learn.microsoft.com/cpp/windows/latest-supported-vc-redist)'

/** Says in a person's words why the native binding didn't load here, and what helps. */
export function explainLoadFailure(
  cause: unknown,
  platform: { name: string; musl: boolean } = { name: describePlatform(), musl: isMusl() },
): { reason: string; remedy: string } {
  const detail = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause)
  const code = (cause as { code?: unknown } | null)?.code
  if (code === 'ERR_DLOPEN_DISABLED') {
    return {
      reason: 'Node was started without native addons',
      remedy: "start it without --no-addons, where it has --permission with --allow-addons, or use backend 'wasm'",
    }
  }
  if (OTHER_COPY.test(detail ?? '')) {
    return {
      reason: `another onnxruntime-node was loaded in this process before (${detail})`,
      remedy:
        "createEngine({ worker: 'process' }), or one version of it for all: `npm ls onnxruntime-node` shows who wants which",
    }
  }
  if (platform.musl) {
    return {
      reason: `onnxruntime-node is built for glibc and doesn't load on ${platform.name} (${detail})`,
      remedy: "use a glibc image such as node:22-slim, or backend 'wasm'",
    }
  }
  if ((code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') && !detail?.includes('onnxruntime_binding')) {
    return { reason: `onnxruntime-node is not installed (${detail})`, remedy: 'npm install onnxruntime-node' }
  }
  return {
    reason: `onnxruntime-node has no binding that loads on ${platform.name} (${detail})`,
    remedy: HAS_BINDING.test(platform.name)
      ? `${helpBinding(detail ?? '', platform.name, code)}${WASM_INSTEAD}`
      : "use a supported platform (Linux x64/arm64, Windows x64/arm64, macOS arm64), or backend 'wasm'",
  }
}

function helpBinding(detail: string, platform: string, code: unknown): string {
  if (platform.startsWith('win32') && code === 'ERR_DLOPEN_FAILED') return WINDOWS_RUNTIME
  return BROKEN_BINDING.find(([said]) => said.test(detail))![1]
}
