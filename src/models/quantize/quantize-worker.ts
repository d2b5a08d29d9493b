import { parentPort } from 'node:worker_threads'
import { measureSlice, quantizeSlice, type SliceTask } from './quantize-slice.ts'

// One of several threads that work on slices of matrices, each in the order in which they come.
parentPort!.on('message', ({ kind, slice }: SliceTask) => {
  if (kind === 'measure') return parentPort!.postMessage(measureSlice(slice))
  const quantized = quantizeSlice(slice)
  const moved = quantized && [quantized.values.buffer as ArrayBuffer, quantized.scales.buffer as ArrayBuffer]
  parentPort!.postMessage(quantized, moved)
})
