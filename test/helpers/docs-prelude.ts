// What blocks of the documents use without saying where it comes from, as their text does.
import { createEngine, decide, type DecisionRequestInput, type LabelledRow } from '../../src/index.ts'

const request: DecisionRequestInput = {
  state: 'Where is my parcel?',
  questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
}
const row: LabelledRow = { ...request, labels: { angry: false } }

Object.assign(globalThis, {
  decide,
  request,
  requests: [request, request],
  rows: Array.from({ length: 12 }, () => row),
  engine: await createEngine({ backend: 'cpu', threads: 1 }),
  body: request,
  signal: new AbortController().signal,
  onProgress: () => {},
  retryLater: () => Promise.reject(new Error('nothing was to be tried again')),
})
