import { LANGUAGE_MODELS } from '../models/language-models/families.ts'
import { LAYA } from '../models/model-config.ts'
import type { DecisionFamily } from './decision-family.ts'
import { openLaya } from './encoder/laya.ts'
import { openNli } from './encoder/nli.ts'
import { openOpenDeciderNano } from './encoder/opendecider-nano.ts'
import { openLanguageModel } from './language-model/open-language-model.ts'
import { openTreeDecider } from './tree/open-tree-decider.ts'

/** Every kind of model that makes decisions; AGENTS.md says how to add one. */
export const DECISION_FAMILIES: readonly DecisionFamily[] = [
  {
    architectures: LANGUAGE_MODELS.flatMap(({ architectures }) => architectures),
    modelTypes: LANGUAGE_MODELS.flatMap(({ modelTypes }) => modelTypes),
    open: openLanguageModel,
  },
  { architectures: ['BertForSequenceClassification'], modelTypes: ['bert'], open: openNli },
  { architectures: ['ModernBertForSequenceClassification'], modelTypes: ['modernbert'], open: openNli },
  { architectures: ['ModernBertModel'], modelTypes: ['modernbert'], open: openOpenDeciderNano },
  { architectures: [LAYA], modelTypes: [], open: openLaya },
  // The embedded model's own, BERT with a scorer.
  { architectures: ['TesseraTreeDecider'], modelTypes: ['bert'], open: openTreeDecider },
]
