import { InsufficientMemoryError } from '../errors/index.ts'

/** Dawn, which is WebGPU in Chromium and in Node, makes a buffer without memory, and names it so when something takes it. */
const WITHOUT_MEMORY = /\[Invalid Buffer/

/** The error of a run that met a buffer for which the device had no memory, or no room in one piece; any other is what it was. */
export function nameFullDevice(error: unknown): unknown {
  if (!(error instanceof Error) || !WITHOUT_MEMORY.test(error.message)) return error
  return new InsufficientMemoryError(
    'the GPU has not enough memory: there was none for a buffer',
    "Close what else uses it, take a checkpoint in fewer bits (npx tessera-onnx quantize), or another backend ('wasm' in browsers, 'cpu' in Node)",
    { cause: error },
  )
}

/** Whether it is such an error. onnxruntime keeps the buffer, so that what takes it fails also where there is memory again. */
export function isFullDevice(error: unknown): boolean {
  return InsufficientMemoryError.isInstance(error) && nameFullDevice(error.cause) !== error.cause
}
