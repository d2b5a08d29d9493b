import colors from 'picocolors'

/** As it is typed. */
export const PROGRAM = 'tessera-onnx'

const NOUL = `'{"angry":{"type":"noul","instructions":"Is the writer angry?"}}'`

/** Command lines to start from, by command; the name of the program alone has the first steps. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  [PROGRAM]: [
    `decide -s "Where is my parcel?" -q ${NOUL}`,
    'generate "an apple on a blue background" --size 256x256 -o apple.png',
    'serve',
  ],
  decide: [
    `decide -s "Where is my parcel?" -q ${NOUL}`,
    'decide ticket.json -q questions.json --min-confidence 0.6',
    'decide request.json --json',
    'decide --each tickets.csv -q questions.json -o answers.jsonl',
    `decide --use Qwen/Qwen3-4B -q questions.json < ticket.txt`,
  ],
  generate: [
    'generate "an apple on a blue background" --size 256x256 -o apple.png',
    'generate "a 3d fox on a blue background" --n 4 --seed 7',
    'generate "a lighthouse at dusk" --use ./z-image --steps 8',
  ],
  edit: [
    'edit apple.png "change the background to yellow" -o yellow.png',
    'edit apple.png "move the apple to the left" --seed 7 -o moved.png',
  ],
  eval: ['eval --data labels.jsonl', 'eval --data labels.jsonl --use decide-mini,Qwen/Qwen3-4B --html report.html'],
  calibrate: [
    'calibrate calibration.json --data labels.jsonl',
    'calibrate calibration.json --data labels.jsonl --error 0.02',
  ],
  serve: ['serve', 'serve --port 3000 --use Qwen/Qwen3-4B', 'serve --host 0.0.0.0 --keys-file keys.json --preload'],
  worker: [
    'worker --queue redis://localhost:6379',
    'worker --queue redis://localhost:6379 --jobs decide --concurrency 8',
  ],
  keys: [
    'keys add --account shop --scopes decide --expires 90d --prepaid 25 --store usage.db',
    'keys list --store usage.db',
    'keys revoke key_0123456789ab --store usage.db',
    'keys rotate key_0123456789ab --overlap 24h --store usage.db',
    'keys topup shop 10.00 --store usage.db',
  ],
  usage: ['usage --store usage.db', 'usage --store redis://localhost --from 2026-10 --to 2026-11 --format json'],
  models: [
    'models',
    'models list --use decide-latest=Qwen/Qwen3-4B --json',
    'models show Qwen/Qwen3-4B',
    'models rm Qwen/Qwen3-4B',
  ],
  pull: ['pull Qwen/Qwen3-0.6B', 'pull Qwen/Qwen3-4B --quantize int8', 'pull black-forest-labs/FLUX.2-klein-4B'],
  quantize: ['quantize Qwen/Qwen3-4B ./qwen3-4b-here', 'quantize ./qwen3-4b ./qwen3-4b-int4 --bits 4 --block 32'],
  setup: ['setup cuda', 'setup prune --dry-run', 'setup prune --platform linux-arm64 --no-pages'],
  doctor: ['doctor', 'doctor --model Qwen/Qwen3-4B', 'doctor --json'],
  bench: ['bench', 'bench --threads 4 --json'],
}

/**
 * The examples of a command as they are typed in an app that has the package; of one within another, such as `keys add`, those of
 * the other that are about it. Empty where there are none.
 */
export function formatExamples(command: string): string {
  const [group = ''] = command.split(' ')
  const examples = EXAMPLES[command] ?? EXAMPLES[group]?.filter((example) => example.startsWith(`${command} `)) ?? []
  if (examples.length === 0) return ''
  const lines = examples.map((example) => `  npx ${PROGRAM} ${example}`)
  return [colors.underline(colors.bold('EXAMPLES')), '', ...lines, ''].join('\n')
}
