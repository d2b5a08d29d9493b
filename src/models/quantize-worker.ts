import { parentPort } from 'node:worker_threads'
import { type MatrixSlice, quantizeSlice } from './quantize-slice.ts'

// One of several threads that quantise slices of matrices, each in the order in which they come.
parentPort!.on('message', (slice: MatrixSlice) => {
  const quantized = quantizeSlice(slice)
  const moved = quantized && [quantized.values.buffer as ArrayBuffer, quantized.scales.buffer as ArrayBuffer]
  parentPort!.postMessage(quantized, moved)
})
