// A worker of the built package for the bench of the queue: `REDIS_URL KEYS MODEL MILLISECONDS`. Without a model its engine
// answers every decision with the same, after so many milliseconds or at once, and every picture with 1.5 MB.
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine } from '../../dist/index.js'
import { runWorker } from '../../dist/queue.js'

const [, , connection, keys, model, milliseconds] = process.argv
/** As base64, as a picture is in an answer. */
const PICTURE = Buffer.alloc(1.5e6, 'picture').toString('base64')
const answers = { urgent: { type: 'noul', noul: 0.5 } }
const idle = {
  async decide() {
    if (milliseconds !== '0') await sleep(Number(milliseconds))
    return { model: 'none', answers, usage: { input_tokens: 12, output_tokens: 0 } }
  },
  generateImage: async () => ({
    created: 0,
    data: [{ b64_json: PICTURE }],
    usage: { input_tokens: 12, output_tokens: 0 },
  }),
  models: async () => [
    { name: 'decide-latest', id: 'none', available: true, kind: 'decisions' },
    { name: 'alpha-image-turbo', id: 'none', available: true, kind: 'images' },
  ],
  activity: () => ({ waiting: 0, running: 0, models: [{ id: 'none', open: 1 }], missing: [] }),
}
const engine =
  model === ''
    ? idle
    : await createEngine({
        models: { 'decide-latest': model },
        backend: 'cpu',
        preload: ['decide-latest'],
      })
const jobs = model === '' ? ['decide', 'images'] : ['decide']
await runWorker(engine, { connection, keys, jobs, concurrency: 4 })
process.stdout.write('{}\n')
