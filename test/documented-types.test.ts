import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const entry = (path: string) => join(ROOT, 'src', path)

/** Requests, answers and options: what a caller writes or reads field by field. */
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  'index.ts': [
    'DecisionRequestInput',
    'NoulQuestionInput',
    'ChoiceQuestionInput',
    'ScoreQuestionInput',
    'ImageGenerationRequestInput',
    'ImageEditRequestInput',
    'EditImageRequest',
    'DecisionResponse',
    'NoulAnswer',
    'ChoiceAnswer',
    'ScoreAnswer',
    'ImageResponse',
    'ImageData',
    'Warning',
    'TokenCount',
    'Progress',
    'EngineOptions',
    'CallOptions',
    'DecideManyOptions',
    'DecisionOutcome',
    'ImageCallOptions',
    'EditImageCallOptions',
    'EvaluateOptions',
    'CalibrateOptions',
    'ParseSettings',
  ],
  'http/index.ts': ['ServerOptions', 'JobOptions', 'RateLimits', 'Price', 'Prices', 'RedisStoreOptions'],
  'queue/index.ts': ['ConnectionOptions', 'QueueEngineOptions', 'WorkerOptions'],
  'http/adapters/node.ts': ['NodeTimeouts'],
  'web/index.ts': ['WebEngineOptions'],
  'ai-sdk/index.ts': ['TesseraProviderSettings'],
}
/** Functions whose examples are compiled too. */
const FUNCTIONS = [
  'decide',
  'decideMany',
  'generateImage',
  'editImage',
  'toBytes',
  'writeImage',
  'evaluate',
  'calibrate',
]
const EXAMPLES = join(ROOT, 'test/examples-of-types.ts')

interface Field {
  readonly name: string
  readonly text: string
  readonly examples: readonly string[]
}

const options: ts.CompilerOptions = {
  ...ts.parseJsonConfigFileContent(ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config, ts.sys, ROOT)
    .options,
  verbatimModuleSyntax: false,
}

/** A program of the entries, and of a file that is not on the disk where there is one. */
function createProgram(examples?: string): ts.Program {
  const host = ts.createCompilerHost(options, true)
  const { getSourceFile, fileExists } = host
  if (examples !== undefined) {
    host.fileExists = (path) => path === EXAMPLES || fileExists(path)
    host.getSourceFile = (path, version, ...rest) =>
      path === EXAMPLES ? ts.createSourceFile(path, examples, version) : getSourceFile(path, version, ...rest)
  }
  const roots = Object.keys(DOCUMENTED).map(entry)
  return ts.createProgram(examples === undefined ? roots : [...roots, EXAMPLES], options, host)
}

let checker: ts.TypeChecker
let exportsOf: (path: string) => Map<string, ts.Symbol>
let fields: readonly Field[]
beforeAll(() => {
  const program = createProgram()
  checker = program.getTypeChecker()
  exportsOf = (path) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry(path))!)!
    return new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]))
  }
  fields = Object.entries(DOCUMENTED).flatMap(([path, names]) => {
    const found = exportsOf(path)
    return names.flatMap((name) => fieldsOf(resolve(found.get(name), name), name))
  })
})

function resolve(symbol: ts.Symbol | undefined, name: string): ts.Symbol {
  if (symbol === undefined) throw new Error(`${name} is not exported`)
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** All fields of a type, those of object types written in place included; the members of a union one by one. */
function fieldsOf(symbol: ts.Symbol, name: string): Field[] {
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  return (type.isUnion() ? type.types : [type]).flatMap((member) => membersOf(member, name))
}

function membersOf(type: ts.Type, path: string): Field[] {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const [declaration] = property.declarations ?? []
    // What other packages declare is theirs to document, and the content of a calibration is no caller's to write.
    if (!declaration || !(ts.isPropertySignature(declaration) || ts.isMethodSignature(declaration))) return []
    if (!declaration.getSourceFile().fileName.startsWith(join(ROOT, 'src'))) return []
    const name = `${path}.${property.name}`
    const own = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, declaration))
    const isLiteral = own.symbol?.flags === ts.SymbolFlags.TypeLiteral && own.getCallSignatures().length === 0
    return [{ name, ...documentationOf(property) }, ...(isLiteral ? membersOf(own, name) : [])]
  })
}

function documentationOf(symbol: ts.Symbol): Omit<Field, 'name'> {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example')
  return {
    text: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
    examples: tags.map(({ text }) =>
      ts
        .displayPartsToString(text)
        .replaceAll(/^```(ts)?$/gm, '')
        .trim(),
    ),
  }
}

describe('every field of requests, answers and options', () => {
  it('says what it is', () => {
    expect(fields.length).toBeGreaterThan(100)
    expect(fields.filter(({ text }) => text.length < 10).map(({ name }) => name)).toEqual([])
  })

  it('has an example', () => {
    expect(fields.filter(({ examples }) => !examples.some((code) => code !== '')).map(({ name }) => name)).toEqual([])
  })

  it('has examples that compile, and so have the functions', () => {
    const index = exportsOf('index.ts')
    const functions = FUNCTIONS.map((name) => ({ name, ...documentationOf(resolve(index.get(name), name)) }))
    expect(functions.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([])
    const prelude = [
      `import { ${[...index.keys()].join(', ')} } from '../src/index.ts'`,
      "import { createServer, openRedisStore, openSqliteStore } from '../src/http/index.ts'",
      "import { createQueueEngine, runWorker } from '../src/queue/index.ts'",
      "import { createNodeServer } from '../src/http/adapters/node.ts'",
      "import { createEngine as createWebEngine } from '../src/web/index.ts'",
      "import { createTessera } from '../src/ai-sdk/index.ts'",
      "import { readFile, writeFile } from 'node:fs/promises'",
      "import { pathToFileURL } from 'node:url'",
      'declare const engine: Engine, request: DecisionRequestInput, rows: readonly LabelledRow[]',
      'declare const connection: string',
    ]
    const examples = [...fields, ...functions].flatMap(({ name, examples }) =>
      [...new Set(examples)].map((code) => `/* ${name} */ {\n${code}\n}`),
    )
    const source = [...prelude, ...examples].join('\n')
    const program = createProgram(source)
    const faults = program.getSemanticDiagnostics(program.getSourceFile(EXAMPLES)).map(({ start = 0, messageText }) => {
      const [, name] = /.*\/\* (\S+) \*\/ \{/s.exec(source.slice(0, start + 1)) ?? []
      return `${name ?? 'prelude'}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
    expect(faults).toEqual([])
  })
})

describe('the test itself', () => {
  it('reads what is on the disk', () => {
    const text = readFileSync(entry('schemas/warning.ts'), 'utf8')
    expect(text).toContain(fields.find(({ name }) => name === 'Warning.message')!.examples[0]!.split('\n')[0])
  })
})
