// Declarations for files that TypeScript compiles to CommonJS: those of the modules once more, in a folder whose package.json
// names no module. What such files then require is the one build there is, as every Node that the package runs on can require a
// module; a second build would mean two engines and two classes of each error in one process. They are not called .d.cts:
// bundlers that trace what a package may load read those as programs, and fail.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const target = 'dist/require'
rmSync(target, { recursive: true, force: true })
for (const folder of ['', 'web']) {
  mkdirSync(join(target, folder), { recursive: true })
  for (const name of readdirSync(join('dist', folder)).filter((name) => name.endsWith('.d.ts'))) {
    copyFileSync(join('dist', folder, name), join(target, folder, name))
  }
}
writeFileSync(join(target, 'package.json'), '{}\n')
