// Declarations for files that TypeScript compiles to CommonJS: the same as those of the modules, by names that it takes for
// CommonJS (.d.cts). What such files then require is the one build there is, as every Node that the package runs on can
// require a module; a second build would mean two engines and two classes of each error in one process.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

for (const folder of ['dist', 'dist/web']) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const declarations = readFileSync(join(folder, name), 'utf8')
    writeFileSync(
      join(folder, name.replace(/\.d\.ts$/, '.d.cts')),
      // Those of other packages stay as they are.
      declarations.replaceAll(/((?:from|import) ?\(?)'(\.\.?\/[^']+)\.js'/g, "$1'$2.cjs'"),
    )
  }
}
