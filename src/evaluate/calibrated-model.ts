import { describeIdentity, type OwnCalibration } from '../decide/own-calibration.ts'
import type { Engine } from '../engine/index.ts'
import { InvalidRequestError } from '../errors/index.ts'

type Identity = OwnCalibration['model']

/** What the engine's models are, before any of them is asked: only an engine that says so also answers without its own calibration. */
export async function listIdentities(engine: Pick<Engine, 'models'>): Promise<readonly Identity[]> {
  const models = await engine.models()
  const identities = models.flatMap(({ identity }) => (identity ? [identity] : []))
  // A model that is not there is told of by the engine, which is asked for it.
  const isThere = models.length === 0 || models.some(({ available, kind }) => available && kind !== 'images')
  if (identities.length > 0 || !isThere) return identities
  throw new InvalidRequestError(
    'engine',
    'must list its models with version, weights and template, got none of that kind; workers of a queue answer with calibrations of their own. Calibrate with an engine of this process, by createEngine',
  )
}

/** The file names the model, so that it is refused for another one. */
export function identify(identities: readonly Identity[], answering: string): Identity {
  const served = identities.filter(({ id }) => id === answering)
  const kinds = [...new Set(served.map(describeIdentity))]
  if (kinds.length === 1) return served[0]!
  if (kinds.length > 1) {
    const reason = `must serve one model '${answering}', so that it is known which answered, got ${kinds.join('; ')}`
    throw new InvalidRequestError('engine', reason)
  }
  throw new InvalidRequestError(
    'engine',
    `must list the model '${answering}' that answers with its version, weights and template`,
  )
}
