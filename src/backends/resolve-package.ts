import { createRequire } from 'node:module'
import { InternalError } from '../errors/index.ts'

/**
 * The path of a module of a package that this one depends on, as `onnxruntime-node/package.json`.
 *
 * @param address Gives `import.meta.url`, which code in a bundle may not have, as in esbuild's of CommonJS.
 * @throws InternalError where the library's code does not know where it is: trying again cannot help
 */
export function resolvePackage(name: string, address = () => import.meta.url): string {
  return requireFrom(address).resolve(name)
}

function requireFrom(address: () => string): NodeJS.Require {
  try {
    return createRequire(address())
  } catch (cause) {
    const reason = "the library's code does not know where it is, as when a bundler took that in"
    throw new InternalError(`${reason}: leave tessera-onnx out of the bundle (external)`, { cause })
  }
}
