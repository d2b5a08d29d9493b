import type { Engine, ModelInfo } from '../../engine/index.ts'

type Models = Pick<Engine, 'models'>

const FRESH_MS = 1000

/**
 * What an engine has, looked up once for all who ask meanwhile and in the second after: it reads the files of all models, and anybody may
 * ask whether the service is ready.
 */
export function shareModels(engine: Models): Models {
  let looking: Promise<ModelInfo[]> | undefined
  let foundAt = Number.POSITIVE_INFINITY
  const look = async () => {
    const models = await engine.models()
    foundAt = performance.now()
    return models
  }
  return {
    models() {
      if (performance.now() - foundAt >= FRESH_MS) looking = undefined
      if (looking === undefined) {
        foundAt = Number.POSITIVE_INFINITY
        looking = look()
        // Not as a part of it: an engine of another's own may throw at once.
        looking.catch(() => (looking = undefined))
      }
      return looking
    },
  }
}
