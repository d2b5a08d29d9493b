// What `require` gets, in a folder whose package.json names no module: declarations for files that TypeScript compiles to CommonJS,
// which are those of the modules once more, and a line beside each that requires the module. There is one build, as every Node that
// the package runs on can require a module; a second one would mean two engines and two classes of each error in one process.
// The declarations are not called .d.cts: bundlers that trace what a package may load read those as programs, and fail.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What has AsyncDisposable, for pages that have no types of Node. The bundler of declarations drops such lines. */
const LIBRARY = '/// <reference lib="esnext.disposable" />\n'
/** Has a module alone, whose types a file of CommonJS may import by name of that kind only, before TypeScript 5.8 and under node16. */
const MODULE_ALONE = /^import (\{[^}]*\} from '@ai-sdk\/provider');$/gm
const target = 'dist/require'
rmSync(target, { recursive: true, force: true })
for (const folder of ['', 'web']) {
  const from = join('dist', folder)
  const to = join(target, folder)
  mkdirSync(to, { recursive: true })
  for (const declared of readdirSync(from).filter((name) => name.endsWith('.d.ts'))) {
    const declarations = readFileSync(join(from, declared), 'utf8')
    const isBare = declarations.includes('AsyncDisposable') && !declarations.startsWith(LIBRARY)
    if (isBare) writeFileSync(join(from, declared), LIBRARY + declarations)
    const required = readFileSync(join(from, declared), 'utf8')
    writeFileSync(
      join(to, declared),
      required.replace(MODULE_ALONE, "import type $1 with { 'resolution-mode': 'import' };"),
    )
    // Declarations that several modules share have no module of their own.
    const module = declared.replace('.d.ts', '.js')
    if (!existsSync(join(from, module))) continue
    const path = relative(to, join(from, module)).replaceAll('\\', '/')
    writeFileSync(join(to, module), `module.exports = require('${path}')\n`)
  }
}
writeFileSync(join(target, 'package.json'), '{}\n')
