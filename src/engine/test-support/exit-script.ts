import { createEngine } from '../create-engine.ts'

// An app that ends itself in the middle of a job. Arguments: folder of a model, milliseconds from the first chunk on.
const [folder = '', delay] = process.argv.slice(2)
const engine = await createEngine({ backend: 'cpu', models: { 'decide-latest': folder } })
const request = { state: 'x'.repeat(100_000), questions: { q: { type: 'noul', instructions: 'Yes?' } } } as const
await engine.decide(request, { onProgress: () => setTimeout(() => process.exit(7), Number(delay)) })
