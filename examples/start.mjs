// What `npm start` shows: decisions on a realistic ticket by the embedded model, through the command line.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function show(...words) {
  console.log(`$ tessera ${words.join(' ')}\n`)
  const { status } = spawnSync(process.execPath, ['dist/cli.js', ...words], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  console.log()
}

show('decide', 'examples/ticket.json', '--questions', 'examples/questions.json', '--min-confidence', '0.3')
