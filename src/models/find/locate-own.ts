import { existsSync } from 'node:fs'
import { InternalError } from '../../errors/index.ts'

/**
 * A file or folder of this package that lies beside its code.
 *
 * @param name what an error calls it
 * @param locate Makes its address of `import.meta.url`, which code in a bundle may not have, as in esbuild's of CommonJS.
 * @throws InternalError where it is missing: trying again cannot help
 */
export function locateOwn(name: string, locate: () => URL): URL {
  const { url, cause } = tryLocate(locate)
  if (url && existsSync(url)) return url
  throw new InternalError(
    `the library's ${name} is not beside its code, as when a bundler took that in: leave tessera-onnx out of the bundle (external)`,
    { cause },
  )
}

function tryLocate(locate: () => URL): { readonly url?: URL; readonly cause?: unknown } {
  try {
    return { url: locate() }
  } catch (cause) {
    return { cause }
  }
}
