import { InvalidRequestError } from '../errors/index.ts'
import { isPlainObject } from './fault.ts'
import { nearestName } from './nearest-name.ts'
import type { Warning } from './warning.ts'

const QUESTION_FIELDS = ['type', 'instructions', 'criteria', 'min_confidence']
const DECISION_FIELDS = ['state', 'questions', 'min_confidence', 'model']
const PICTURE_FIELDS = ['prompt', 'model', 'seed', 'n']
const GENERATION_FIELDS = [...PICTURE_FIELDS, 'size']
const EDIT_FIELDS = [...PICTURE_FIELDS, 'image', 'images', 'mask']

/** What the second argument of each call takes. */
const DECISION_OPTIONS = ['signal', 'onProgress', 'onTimings', 'client', 'priority', 'whenBusy', 'lora', 'keepState']
const GENERATION_OPTIONS = [...DECISION_OPTIONS, 'onPreview', 'steps', 'guidance', 'negativePrompt', 'control']
const EDIT_OPTIONS = [...GENERATION_OPTIONS, 'strength']

/** A warning for each field of a decision request that nothing reads. The request has been checked before. */
export function unknownDecisionFields(body: object): Warning[] {
  return guarded(() => {
    const { questions } = body as { readonly questions: object }
    const ofQuestions = Object.entries(questions).flatMap(([name, question]) =>
      unknownFields(question as object, QUESTION_FIELDS, [], `questions.${name}.`),
    )
    return [...unknownFields(body, DECISION_FIELDS, DECISION_OPTIONS), ...ofQuestions]
  })
}

/** As `unknownDecisionFields`, of an image generation request. */
export function unknownGenerationFields(body: object): Warning[] {
  return guarded(() => unknownFields(body, GENERATION_FIELDS, GENERATION_OPTIONS))
}

/** As `unknownDecisionFields`, of an image edit request. */
export function unknownEditFields(body: object): Warning[] {
  return guarded(() => unknownFields(body, EDIT_FIELDS, EDIT_OPTIONS))
}

/** @param options that the call has beside those fields */
function unknownFields(fields: object, known: readonly string[], options: readonly string[], prefix = ''): Warning[] {
  const given = isPlainObject(fields) ? Object.keys(fields).filter((name) => fields[name] !== undefined) : []
  return given
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: 'unknown_field',
      path: prefix + name,
      message: `${prefix}${name}: is ignored, no field of that name is known${remedyFor(name, known, options)}`,
    }))
}

function remedyFor(name: string, known: readonly string[], options: readonly string[]): string {
  // Over HTTP names of options are written as negative_prompt is, and are fields of the body.
  const option = options.find((each) => each.toLowerCase() === name.replaceAll('_', '').toLowerCase())
  if (option !== undefined) return `; ${option} is an option of the call, beside the request`
  const meant = ['width', 'height'].includes(name) ? known.find((each) => each === 'size') : nearestName(name, known)
  return meant === undefined ? '' : `; ${meant} may be meant`
}

/** Getters and proxies that let the check pass may still throw afterwards. */
function guarded(read: () => Warning[]): Warning[] {
  try {
    return read()
  } catch (cause) {
    throw new InvalidRequestError('body', 'could not be read: a getter or a proxy threw', { loc: [], cause })
  }
}
