import { JULIA, LAYA } from '../models/configs/model-config.ts'
import { LANGUAGE_MODELS } from '../models/language-models/families.ts'
import type { DecisionFamily } from './decision-family.ts'
import { openJulia } from './encoder/julia.ts'
import { openLaya } from './encoder/laya.ts'
import { openNli } from './encoder/nli.ts'
import { openOpenDeciderNano } from './encoder/opendecider-nano.ts'
import { openLanguageModel } from './language-model/open-language-model.ts'
import { openTreeDecider } from './tree/open-tree-decider.ts'

/** A list of whole numbers from 0 on that versions of transformers before 4.31 saved. */
const BERT_POSITIONS = /^(bert\.)?embeddings\.position_ids$/

/** Every kind of model that makes decisions; AGENTS.md says how to add one. */
export const DECISION_FAMILIES: readonly DecisionFamily[] = [
  {
    architectures: LANGUAGE_MODELS.flatMap(({ architectures }) => architectures),
    modelTypes: LANGUAGE_MODELS.flatMap(({ modelTypes }) => modelTypes),
    // `checkTensors` knows theirs.
    unread: [],
    open: openLanguageModel,
  },
  {
    architectures: ['BertForSequenceClassification'],
    modelTypes: ['bert'],
    unread: [BERT_POSITIONS],
    open: openNli,
  },
  {
    architectures: ['ModernBertForSequenceClassification'],
    modelTypes: ['modernbert'],
    unread: [],
    open: openNli,
  },
  { architectures: ['ModernBertModel'], modelTypes: ['modernbert'], unread: [], open: openOpenDeciderNano },
  // A Laya agent has a second head, which chooses among actions, and repeats a temperature of its configuration.
  { architectures: [LAYA], modelTypes: [], unread: [/^act_head\./, /^temperature$/], open: openLaya },
  { architectures: [JULIA], modelTypes: [], unread: [/^act_head\./, /^temperature$/], open: openJulia },
  // The embedded model's own, BERT with a scorer instead of the pooler.
  {
    architectures: ['TesseraTreeDecider'],
    modelTypes: ['bert'],
    unread: [BERT_POSITIONS, /^pooler\./],
    open: openTreeDecider,
  },
]
