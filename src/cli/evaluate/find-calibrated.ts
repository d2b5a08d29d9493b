import { describeIdentity } from '../../decide/own-calibration.ts'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import type { EngineArguments } from '../engine-arguments.ts'
import { openEngine, readCalibration } from '../open-engine.ts'

/**
 * Those of the models that `--calibration` is for; none without it. Their files say it, so that nothing is opened yet.
 *
 * @throws InvalidRequestError where it is for none of them, or is no calibration
 */
export async function findCalibrated(args: EngineArguments, models: readonly string[]): Promise<ReadonlySet<string>> {
  if (args.calibration === undefined) return new Set()
  // The engine that measures it refuses what is not for it.
  if (models.length === 1) return new Set(models)
  const byName = Object.fromEntries(
    models.map((model, index) => [index === 0 ? DEFAULT_MODELS.decide : `model ${index + 1}`, model]),
  )
  // An engine refuses a calibration that is for none of its models.
  await using engine = await openEngine(args, byName)
  const wanted = describeIdentity((await readCalibration(args.calibration)).model)
  const served = await engine.models()
  return new Set(
    served.flatMap(({ name, identity }) =>
      identity && describeIdentity(identity) === wanted && Object.hasOwn(byName, name) ? [byName[name]!] : [],
    ),
  )
}
