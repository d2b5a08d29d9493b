// What `npm start` shows, through the command line and by the embedded models: decisions on a realistic ticket, a picture drawn
// from words, and the same picture changed. The pictures are in out/.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function show(...words) {
  console.log(`$ npx tessera-onnx ${words.map((word) => (/[\s"]/.test(word) ? `'${word}'` : word)).join(' ')}\n`)
  const { status } = spawnSync(process.execPath, ['dist/cli.js', ...words], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  console.log()
}

mkdirSync(`${root}/out`, { recursive: true })
show('decide', 'examples/ticket.json', '--questions', 'examples/questions.json', '--min-confidence', '0.3')
show(
  'generate',
  'a 3d fox on a blue background',
  '--size',
  '256x256',
  '--seed',
  '7',
  '--force',
  '--out',
  'out/generated.png',
)
show(
  'edit',
  'out/generated.png',
  'change the background to yellow',
  '--seed',
  '7',
  '--force',
  '--out',
  'out/edited.png',
)
