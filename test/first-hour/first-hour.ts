// What a newcomer does in the first hour, in an empty app with the packed library, on several versions of Node:
// npm run first-hour [-- --node 20,22,24] [--only NAME]. Prints a table and ends with 1 where something failed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackage, npmInstall, runIn } from '../helpers/installed-package.ts'
import type { Step } from './step.ts'
import { STEPS } from './steps.ts'

const { values } = parseArgs({
  options: { node: { type: 'string', default: '20,22,24' }, only: { type: 'string', default: '' } },
})

interface Row {
  readonly node: string
  readonly step: string
  readonly result: 'ok' | 'failed'
  readonly seconds: string
}

/** Node's own binary of a version, as a package for this platform. */
async function installNode(home: string, major: string): Promise<string> {
  if (process.version.startsWith(`v${major}.`)) return process.execPath
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const alias = `node-${major}`
  if (!(await npmInstall(home, `${alias}@npm:${name}@${major}`))) throw new Error('the npm registry cannot be reached')
  return join(home, 'node_modules', alias, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Takes a step, and says what went wrong on stderr. */
function take(app: string, node: string, { name, env = {}, runs, prints }: Step): boolean {
  let printed = ''
  for (const run of runs) {
    const { code, stdout, stderr } = runIn(app, node, run, { env })
    if (code !== 0) {
      console.error(`${name}: ${run.join(' ')} ended with ${code}\n${stderr}`)
      return false
    }
    printed = stdout
  }
  if (!prints.test(printed)) console.error(`${name} printed what was not expected:\n${printed}`)
  return prints.test(printed)
}

const steps = STEPS.filter(({ name }) => name.includes(values.only))
const home = await mkdtemp(join(tmpdir(), 'tessera-nodes-'))
await writeFile(join(home, 'package.json'), '{"private":true}')
const installed = await installPackage()
const rows: Row[] = []
try {
  const packages = steps.flatMap(({ packages = [] }) => packages)
  if (packages.length > 0 && !(await npmInstall(installed.app, ...packages))) {
    throw new Error('the npm registry cannot be reached')
  }
  for (const step of steps) {
    for (const [file, text] of Object.entries(step.files)) await writeFile(join(installed.app, file), text)
  }
  for (const major of values.node.split(',')) {
    const node = await installNode(home, major)
    for (const step of steps) {
      const started = performance.now()
      const result = take(installed.app, node, step) ? 'ok' : 'failed'
      rows.push({ node: major, step: step.name, result, seconds: ((performance.now() - started) / 1000).toFixed(1) })
    }
  }
} finally {
  await installed.remove()
  await rm(home, { recursive: true, force: true })
}
console.table(rows)
process.exitCode = rows.every(({ result }) => result === 'ok') ? 0 : 1
