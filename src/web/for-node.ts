import { InternalError } from '../errors/index.ts'

// What bundles for browsers get of `tessera-onnx` itself. Its modules would end there in whatever of Node is missing first, such as
// `process is not defined`, once the page runs. What works anywhere is as it is; the rest says where to go.
export * from '../errors/index.ts'
export * from '../schemas/index.ts'

function refuse(name: string): () => never {
  return () => {
    throw new InternalError(
      `${name} of 'tessera-onnx' needs Node, and was bundled for browsers: in pages call createEngine of 'tessera-onnx/web', for edge runtimes there is none`,
    )
  }
}

export const calibrate = refuse('calibrate')
export const compareEvaluations = refuse('compareEvaluations')
export const countTokens = refuse('countTokens')
export const createEngine = refuse('createEngine')
export const decide = refuse('decide')
export const decideMany = refuse('decideMany')
export const detectBackends = refuse('detectBackends')
export const disposeDefaultEngine = refuse('disposeDefaultEngine')
export const editImage = refuse('editImage')
export const evaluate = refuse('evaluate')
export const generateImage = refuse('generateImage')
export const toBytes = refuse('toBytes')
export const writeImage = refuse('writeImage')
