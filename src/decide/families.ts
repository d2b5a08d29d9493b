import { LANGUAGE_MODELS } from '../models/language-models/families.ts'
import type { DecisionFamily } from './decision-family.ts'
import { openLanguageModel } from './language-model/open-language-model.ts'
import { openTreeDecider } from './tree/open-tree-decider.ts'

/** Every kind of model that makes decisions; AGENTS.md says how to add one. */
export const DECISION_FAMILIES: readonly DecisionFamily[] = [
  {
    architectures: LANGUAGE_MODELS.flatMap(({ architectures }) => architectures),
    modelTypes: LANGUAGE_MODELS.flatMap(({ modelTypes }) => modelTypes),
    open: openLanguageModel,
  },
  // The embedded model's own, BERT with a scorer.
  { architectures: ['TesseraTreeDecider'], modelTypes: ['bert'], open: openTreeDecider },
]
