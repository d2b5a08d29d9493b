import { KeptStates } from '../../decide/kept/kept-states.ts'
import type { MadeWeights } from '../../models/files/model-files.ts'
import { isHubId } from '../../models/find/hub-cache.ts'
import { isHubName, isModelName } from '../../models/find/is-model-name.ts'
import { expandName } from '../../models/find/known-models.ts'
import {
  type ChosenLora,
  EMBEDDED_MODELS,
  type ModelFiles,
  type ModelSource,
  openModel,
  readLoraState,
  resolveModel,
  unpackWeights,
  weighLoras,
  weighModel,
  withLora,
} from '../../models/index.ts'
import { measureHeldMemory } from '../memory/held-memory.ts'
import { predictMemory, rewritesInt8 } from '../memory/predict-memory.ts'
import { requireMemory } from '../memory/require-memory.ts'
import type { EngineSettings } from '../options/resolve-options.ts'
import { loadSharpCodec } from './load-sharp-codec.ts'
import { describeTask, openTask } from './open-task.ts'
import type { ResolvedModel, TaskSource } from './task.ts'
import { withUnpacked } from './with-unpacked.ts'

/** Weight files, in bytes, below which a model is opened without asking, and several times: every machine has what it takes. */
const SMALL = 64 * 2 ** 20

/**
 * The models of this library. A request may name what the options list, an embedded model, or one of the hub, in the forms that `tessera pull` takes;
 * only the options may give a path, since the name in a request may come from the network. Any other name is one of a
 * compatible service (`jev-latest`): the specification accepts it (section 2.4), the default model of the job does it,
 * and the answer to a decision says which that was.
 */
export function createTaskSource({ models, symbols, keepStates }: EngineSettings): TaskSource {
  const targets = new Map([...Object.entries(EMBEDDED_MODELS), ...Object.entries(models)])
  // Requests spell names in many ways, of which metrics would grow: only what the options name goes by the name that it has there.
  const listed = new Set([...targets].flat())
  // They come with the package and stay where they are; looking for one costs half a millisecond, a tenth of a short decision.
  const found = new Map<string, ModelSource>()
  // Those of a name are one choice for as long as the engine is there, whatever becomes of their files, as the files of its model are.
  const ofNames = new Map<string, Promise<string | undefined>>()
  const look = async (lora: ChosenLora): Promise<ChosenLora> => {
    const known = lora.of === undefined ? undefined : ofNames.get(lora.path)
    const reading = known ?? readLoraState(lora)
    if (lora.of !== undefined) ofNames.set(lora.path, reading)
    return { ...lora, state: await reading }
  }
  const kept = keepStates && new KeptStates(keepStates)
  return {
    names: [...targets.keys()],
    nameOf: (given, fallback) => (targets.has(given) || isModelName(given) ? given : fallback),
    async resolve(name) {
      const target = targets.get(name) ?? name
      const source = found.get(target) ?? (await resolveModel(target))
      if (source.embedded) found.set(target, source)
      return listed.has(name) ? { ...source, id: expandName(target) } : source
    },
    look: (lora) => Promise.all(lora.map(look)),
    describe: (model) => describeTask(openFiles(model), () => weigh(model), symbols),
    memory: {
      isSmall,
      predict: async (model, backend) =>
        (await isSmall(model))
          ? undefined
          : predictMemory(openFiles(model), { symbols, rewritesInt8: rewritesInt8(backend) }),
      require: (model, prediction, reusable) =>
        requireMemory(isHubName(model.id) ? model.id : model.folder, prediction, reusable),
      held: measureHeldMemory,
    },
    open(model, backend, { signal, withoutWeights }) {
      const files = openFiles(model)
      const unpack = (weights: MadeWeights) => unpackWeights(weights, weights.path ?? model.folder, signal)
      const able = withoutWeights ? backend : withUnpacked(backend, files, unpack)
      return openTask(files, able, loadSharpCodec, { symbols, kept })
    },
  }
}

/** The folder of a downloaded one is named after a commit. */
function openFiles({ id, folder, lora }: ResolvedModel): ModelFiles {
  const files = openModel(folder, isHubId(id) ? id : undefined)
  return lora === undefined ? files : withLora(files, lora)
}

async function isSmall({ folder }: ResolvedModel): Promise<boolean> {
  return (await weighModel(folder)) < SMALL
}

async function weigh({ folder, lora }: ResolvedModel): Promise<number> {
  return (await weighModel(folder)) + (await weighLoras(lora ?? []))
}
