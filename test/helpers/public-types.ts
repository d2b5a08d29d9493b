import { join, relative } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')
/** Where a file of examples would lie; it is not on the disk. */
const EXAMPLES = join(ROOT, 'test/examples-of-types.ts')

/** Everything that apps import, by path below `src`. */
const ENTRIES = [
  'index.ts',
  'schemas/index.ts',
  'http/index.ts',
  'queue/index.ts',
  'web/index.ts',
  'ai-sdk/index.ts',
  ...['express', 'fastify', 'hono', 'next', 'node'].map((name) => `http/adapters/${name}.ts`),
]

/** What the hover of an editor says. */
export interface Documented {
  /** Such as `index.ts Engine.decide`. */
  readonly name: string
  readonly text: string
  /** Where it is declared, such as `web/resolve-web-options.ts`. */
  readonly file: string
  readonly examples: readonly string[]
}

/** A thing that an entry exports, and its members, those of object types written in place included. */
export interface PublicSymbol extends Documented {
  readonly isFunction: boolean
  readonly members: readonly Documented[]
}

const entryPath = (entry: string) => join(ROOT, 'src', entry)

/** A program of the entries, and of the examples where there are any. */
function createProgram(examples?: string): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: unknown }
  const options = { ...ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options, verbatimModuleSyntax: false }
  const host = ts.createCompilerHost(options, true)
  const { getSourceFile, fileExists } = host
  if (examples !== undefined) {
    host.fileExists = (path) => path === EXAMPLES || fileExists(path)
    host.getSourceFile = (path, version, ...rest) =>
      path === EXAMPLES ? ts.createSourceFile(path, examples, version) : getSourceFile(path, version, ...rest)
  }
  const roots = ENTRIES.map(entryPath)
  return ts.createProgram(examples === undefined ? roots : [...roots, EXAMPLES], options, host)
}

/** What is wrong with a program of examples: the sentence, and where it begins. */
export function compileExamples(source: string): { readonly start: number; readonly message: string }[] {
  const program = createProgram(source)
  const file = program.getSourceFile(EXAMPLES)!
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ start = 0, messageText }) => ({ start, message: ts.flattenDiagnosticMessageText(messageText, ' ') }),
  )
}

/** All exports of all entries that this package declares, each once. */
export function readPublicSymbols(): PublicSymbol[] {
  const program = createProgram()
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Symbol>()
  return ENTRIES.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entryPath(entry))!)!
    const found = checker.getExportsOfModule(module).map((symbol) => resolve(checker, symbol))
    const own = found.filter((symbol) => !seen.has(symbol) && isOwn(symbol.declarations?.[0]))
    for (const symbol of own) seen.add(symbol)
    return own.map((symbol) => describeSymbol(checker, entry, symbol))
  })
}

/** Names of the types that each of these files below `src` exports. */
export function readTypeNames(...files: readonly string[]): string[][] {
  const program = createProgram()
  const checker = program.getTypeChecker()
  const { Interface, TypeAlias, Class } = ts.SymbolFlags
  const isType = (symbol: ts.Symbol) => (resolve(checker, symbol).flags & (Interface | TypeAlias | Class)) !== 0
  return files.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entryPath(file))!)!
    return checker.getExportsOfModule(module).flatMap((symbol) => (isType(symbol) ? [symbol.name] : []))
  })
}

const resolve = (checker: ts.TypeChecker, symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** What other packages declare is theirs to document. */
const isOwn = (declaration: ts.Node | undefined): declaration is ts.Declaration =>
  declaration?.getSourceFile().fileName.startsWith(join(ROOT, 'src')) ?? false

function describeSymbol(checker: ts.TypeChecker, entry: string, symbol: ts.Symbol): PublicSymbol {
  const name = `${entry} ${symbol.name}`
  const { Interface, TypeAlias, Class, Function } = ts.SymbolFlags
  const type = symbol.flags & (Interface | TypeAlias | Class) ? checker.getDeclaredTypeOfSymbol(symbol) : undefined
  const members = type === undefined ? [] : membersOfUnion(checker, type, name)
  return { name, ...documentationOf(checker, symbol), isFunction: (symbol.flags & Function) !== 0, members }
}

/** The members of a union one by one. */
function membersOfUnion(checker: ts.TypeChecker, type: ts.Type, path: string): Documented[] {
  return (type.isUnion() ? type.types : [type]).flatMap((one) => membersOf(checker, one, path))
}

function membersOf(checker: ts.TypeChecker, type: ts.Type, path: string): Documented[] {
  return checker.getPropertiesOfType(type).flatMap((property) => {
    const [declaration] = property.declarations ?? []
    if (!isOwn(declaration) || !isMember(declaration)) return []
    const name = `${path}.${property.name}`
    const own = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, declaration))
    const isLiteral = own.symbol?.flags === ts.SymbolFlags.TypeLiteral && own.getCallSignatures().length === 0
    const inner = isLiteral ? membersOf(checker, own, name) : []
    return [{ name, ...documentationOf(checker, property) }, ...inner]
  })
}

/** Fields and methods of types and classes, and fields of schemas that types are inferred from. */
const isMember = (node: ts.Node) =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isGetAccessor(node) ||
  ts.isPropertyAssignment(node)

function documentationOf(checker: ts.TypeChecker, symbol: ts.Symbol): Omit<Documented, 'name'> {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example')
  return {
    file: relative(join(ROOT, 'src'), symbol.declarations![0]!.getSourceFile().fileName),
    text: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
    examples: tags.map(({ text }) =>
      ts
        .displayPartsToString(text)
        .replaceAll(/^```(ts)?$/gm, '')
        .trim(),
    ),
  }
}
