import { readConfig } from '../configs/read-config.ts'
import { readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { readFp8Method, withoutQuantization } from '../fp8/fp8-method.ts'
import { translateFp8 } from '../fp8/fp8-tensors.ts'
import { takeMarksOff } from '../fp8/layer-marks.ts'
import type { PipelinePart } from '../pipeline-parts.ts'
import { indexFiles, indexWeights } from '../weights/index-weights.ts'
import { makeWeightFile } from '../weights/made-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import { chooseNaming, requireTransformer } from './choose-naming.ts'
import { anyJson, showMade, showPlace } from './part-files.ts'
import type { PartPlace } from './part-place.ts'
import { choosePart } from './part-prefix.ts'
import { renameTensors } from './rename-tensors.ts'

/**
 * A part whose weights are in safetensors: as it lies there where its tensors have the names of diffusers and are float, else
 * made from them.
 *
 * @throws ModelFormatError when the files are damaged, of another model, or lack a scale
 */
export async function openStoredPart(part: PipelinePart, { texts, folder, file }: PartPlace): Promise<ModelFiles> {
  const configPath = `${texts.location}/config.json`
  const configState = await readFileState(configPath)
  const config = await readConfig(texts, 'config.json', anyJson, 'the configuration of a model')
  const all = file === undefined ? await indexWeights(folder) : await indexFiles(folder, [file])
  const path = file === undefined ? folder.location : `${folder.location}/${file}`
  const { read } = await openTensors(folder, all)
  const unmarked = await takeMarksOff(all, read)
  const weights = renameIndex(unmarked, choosePart(unmarked.names, part, path))
  if (part === 'transformer') requireTransformer(weights.names, config['_class_name'], path)
  const { naming } = chooseNaming(config)
  const isPlain =
    weights.names.every((name) => all.get(name)?.dtype !== 'F8_E4M3' && all.get(name) === weights.get(name)) &&
    weights.names.length === all.names.length &&
    weights.names.every((name) => isSame(naming(name), name, weights))
  if (isPlain) return showPlace({ texts, folder, file })
  const stored = translateFp8(weights, readFp8Method(config) ?? { blockSize: undefined }, read)
  const tensors = renameTensors(new Map(stored.map((tensor) => [tensor.name, [tensor]])), naming, path)
  const made: MadeWeights = {
    ...makeWeightFile(tensors, `${path}#${part}`),
    path,
    sources: [...all.sources, configState],
    part: { name: part, config: configPath },
  }
  return showMade(texts, made, withoutQuantization(config))
}

/** Whether a tensor is already what it becomes. */
function isSame(targets: ReturnType<ReturnType<typeof chooseNaming>['naming']>, name: string, weights: WeightIndex) {
  const [target, ...others] = targets
  if (target === undefined || others.length > 0) return false
  const { shape } = weights.get(name)!
  const fits = { row: shape.length > 1, matrix: shape.length === 2 }
  return target.name === name && target.pieces === undefined && (target.shape === undefined || fits[target.shape])
}

function renameIndex(weights: WeightIndex, stored: ReadonlyMap<string, string>): WeightIndex {
  const get = (name: string) => {
    const source = stored.get(name)
    return source === undefined ? undefined : weights.get(source)
  }
  return { ...weights, names: [...stored.keys()], get }
}
