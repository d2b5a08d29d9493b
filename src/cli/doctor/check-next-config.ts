import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

/** What a standalone output leaves out: models, which are read by name, and a library that the system opens. */
const MODELS = 'tessera-onnx/models/**'
const RUNTIME = `onnxruntime-node/bin/*/${process.platform}/${process.arch}/*`
const WHY = `puts what is not imported into the standalone output; '${process.platform}/${process.arch}' is to be that of the machine that the app runs on`

const NAMES = ['next.config.js', 'next.config.mjs', 'next.config.ts']

/** What the configuration of a Next.js app lacks for this package; absent where the folder has no such configuration. */
export interface NextCheck {
  readonly file: string
  /** One sentence for each thing to do; none where all is there. */
  readonly remedies: readonly string[]
}

/**
 * Reads the configuration of the Next.js app in a folder as text, since it may be a program. Two things keep this package
 * from working there: a bundled worker, and what a standalone output leaves out.
 */
export async function checkNextConfig(folder: string): Promise<NextCheck | undefined> {
  for (const file of NAMES) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const [models, runtime] = await Promise.all([locate(folder, MODELS), locate(folder, RUNTIME)])
    return { file, remedies: findRemedies(text, models, runtime) }
  }
  return undefined
}

/** Files of a package, named from the app's folder: in a workspace packages are further up, and pnpm keeps each version in a folder of its own. */
async function locate(folder: string, files: string): Promise<string> {
  const name = files.slice(0, files.indexOf('/'))
  for (let above = folder; ; above = dirname(above)) {
    const modules = join(above, 'node_modules')
    const path = relative(folder, modules).split(sep).join('/')
    if (existsSync(join(modules, name))) return `${path}/${files}`
    const kept = await readdir(join(modules, '.pnpm')).catch(() => [])
    if (kept.some((entry) => entry.startsWith(`${name}@`))) return `${path}/.pnpm/${name}@*/node_modules/${files}`
    if (above === dirname(above)) return `node_modules/${files}`
  }
}

function findRemedies(text: string, models: string, runtime: string): string[] {
  const remedies: string[] = []
  const [, externals] = /serverExternalPackages\s*:\s*\[([^\]]*)\]/.exec(text) ?? []
  // A list that is made elsewhere cannot be read here.
  const isSpelledOut = externals !== undefined || !text.includes('serverExternalPackages')
  if (isSpelledOut && !/['"`]tessera-onnx['"`]/.test(externals ?? '')) {
    remedies.push("serverExternalPackages: ['tessera-onnx'] keeps its worker out of the bundle")
  }
  if (!/output\s*:\s*['"`]standalone['"`]/.test(text)) return remedies
  if (!/outputFileTracingIncludes/.test(text)) {
    remedies.push(`outputFileTracingIncludes: { '/**': ['${models}', '${runtime}'] } ${WHY}`)
  } else {
    const missing = [
      ...(text.includes('tessera-onnx/models') ? [] : [models]),
      ...(text.includes(runtime.includes('.pnpm/') ? 'onnxruntime-node@' : 'onnxruntime-node/') ? [] : [runtime]),
    ]
    if (missing.length > 0) remedies.push(`'${missing.join("' and '")}' under outputFileTracingIncludes ${WHY}`)
  }
  return remedies
}
