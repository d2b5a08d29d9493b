import * as z from 'zod'
import { JULIA, LAYA, readModelConfig } from '../models/configs/model-config.ts'
import { nameQuantization, quantizationFieldSchema } from '../models/configs/quantization-config.ts'
import { readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { findStorageFile } from '../models/quantize/find-matrices.ts'
import type { SymbolOptions } from './decision-family.ts'
import { nameBegin } from './language-model/read-begin.ts'
import { readManifest } from './manifest.ts'
import type { OwnCalibration } from './own-calibration.ts'

const configSchema = z.looseObject({ quantization_config: quantizationFieldSchema })

/** How models that have no manifest are asked, unless it is as chat models are. */
const TEMPLATES = new Map([
  [LAYA, 'laya'],
  [JULIA, 'julia'],
  ['ModernBertModel', 'opendecider-nano'],
  ['BertForSequenceClassification', 'nli'],
  ['ModernBertForSequenceClassification', 'nli'],
])

/** Templates whose answers depend on the order of options and which `bothOrders` is for. */
const IN_ORDER = ['chat-1', 'opendecider-small']

/** Identifies a decision model among others whose probabilities differ: a calibration of one is none of another's. */
export async function identifyDecider(
  files: ModelFiles,
  { bothOrders }: SymbolOptions = {},
): Promise<OwnCalibration['model']> {
  const [{ name, version, template }, config] = await Promise.all([readManifest(files, 1), readModelConfig(files)])
  const { architectures } = config
  const storage = await readOptionalConfig(files, findStorageFile(config), configSchema, 'a configuration in JSON')
  const quantization = storage?.quantization_config
  const weights = quantization ? nameQuantization(quantization) : 'float'
  const own = architectures.map((architecture) => TEMPLATES.get(architecture)).find((known) => known !== undefined)
  return { id: name, version, weights, template: own ?? (await nameAsking(files, template, bothOrders)) }
}

/** How a language model is asked; a template alone names the others. */
async function nameAsking(files: ModelFiles, template: string, bothOrders = false): Promise<string> {
  if (!IN_ORDER.includes(template)) return template
  const begin = await nameBegin(files)
  return `${template}${begin === undefined ? '' : ` behind ${begin}`}${bothOrders ? ' in both orders' : ''}`
}
