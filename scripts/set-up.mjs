// Makes a fresh clone ready: installs missing dependencies and, with --build, makes dist/ if there is none.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function runNpm(...words) {
  // npm tells its scripts where it lies; on Windows `npm` itself is a shell script that cannot be spawned.
  const npm = process.env.npm_execpath
  const [command, args] = npm === undefined ? ['npm', words] : [process.execPath, [npm, ...words]]
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

// npm writes this file last, so an install that was cut short is repeated.
if (!existsSync(`${root}/node_modules/.package-lock.json`)) runNpm('ci')
if (process.argv.includes('--build') && !existsSync(`${root}/dist/index.js`)) runNpm('run', 'build')
