import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SHIPPED = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The text without blocks of code, whose brackets are no links. */
const prose = (path: string) => read(path).replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchor of a heading, as GitHub and the site make it. */
function slug(heading: string): string {
  return heading
    .replaceAll(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const anchors = (path: string) => [...prose(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => slug(heading!))

it('tables of the documents are whole: rows behind an empty line would be shown as text', () => {
  const isWhole = (part: string) => /^\|.*\n\|[ :|-]+\|$/m.test(part) || !part.startsWith('|')
  const parts = SHIPPED.flatMap((path) => prose(path).split(/\n{2,}/))
  expect(parts.filter((part) => !isWhole(part))).toEqual([])
})

describe('links of the documents in the package', () => {
  const links = SHIPPED.flatMap((path) =>
    [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({ path, target: target! })),
  ).filter(({ target }) => !/^https?:/.test(target))

  it('lead to files that are in the package, and to headings that these have', () => {
    const faults = links.filter(({ path, target }) => {
      const [file, anchor] = target.split('#') as [string, string?]
      const found = file === '' ? path : relative(ROOT, resolve(ROOT, dirname(path), file)).replaceAll('\\', '/')
      const isShipped = SHIPPED.includes(found) || /^models\/(decide|image)-mini\/(?!recipe)/.test(found)
      if (!isShipped || !existsSync(join(ROOT, found))) return true
      return anchor !== undefined && !anchors(found).includes(anchor)
    })
    expect(links.length).toBeGreaterThan(50)
    expect(faults).toEqual([])
  })

  it('are what the site has in its menu, so that every page is found', () => {
    const config = read('docs/.vitepress/config.ts')
    const pages = SHIPPED.flatMap((path) => /^docs\/(.+)\.md$/.exec(path)?.[1] ?? []).filter((page) => page !== 'index')
    expect(pages.filter((page) => !config.includes(`'/${page}'`))).toEqual([])
  })
})

/** What blocks use that do not show where it comes from. */
const AMBIENT = `
import type { DecisionRequestInput, Engine, LabelledRow, Progress } from 'tessera-onnx'
import type * as tessera from 'tessera-onnx'
declare global {
  const decide: typeof tessera.decide, editImage: typeof tessera.editImage
  const request: DecisionRequestInput
  const requests: DecisionRequestInput[]
  const rows: LabelledRow[]
  const engine: Engine
  const body: unknown
  const signal: AbortSignal
  const onProgress: (progress: Progress) => void
  const retryLater: () => Promise<void>
}
`

const SUBPATHS = {
  'tessera-onnx': ['src/index.ts'],
  'tessera-onnx/queue': ['src/queue/index.ts'],
  'tessera-onnx/server': ['src/http/index.ts'],
  'tessera-onnx/web': ['src/web/index.ts'],
  'tessera-onnx/ai-sdk': ['src/ai-sdk/index.ts'],
  'tessera-onnx/*': ['src/http/adapters/*.ts'],
}

describe('blocks of TypeScript in the documents', () => {
  it('all compile', () => {
    const files = new Map([[join(ROOT, 'docs/ambient.ts'), AMBIENT]])
    for (const path of SHIPPED) {
      for (const [index, [, code]] of [...read(path).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].entries()) {
        files.set(join(ROOT, 'docs', `${path.replace('docs/', '')}-${index + 1}.ts`), `${code}\nexport {}\n`)
      }
    }
    expect(files.size).toBeGreaterThan(15)
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
    const settings = { ...options, verbatimModuleSyntax: false, paths: SUBPATHS }
    const host = ts.createCompilerHost(settings)
    const { getSourceFile, fileExists } = host
    host.fileExists = (path) => files.has(path) || fileExists(path)
    host.getSourceFile = (path, version, ...rest) => {
      const text = files.get(path)
      return text === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version)
    }
    const program = ts.createProgram([...files.keys()], settings, host)
    const faults = [...files.keys()].flatMap((path) => {
      const file = program.getSourceFile(path)!
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
        ({ start = 0, messageText }) =>
          `${relative(ROOT, path)}:${file.getLineAndCharacterOfPosition(start).line + 1} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      )
    })
    expect(faults).toEqual([])
  })
})
