/** An app whose types are checked against the declarations of the package, with errors where they are expected. */
export const TYPED_APP = `import { createEngine, decide, editImage, generateImage, InvalidRequestError, toBytes, type DecisionResponse } from 'tessera-onnx'
import { LIMITS, parseDecisionRequest } from 'tessera-onnx/schemas'

const { answers, model }: { answers: { team: { choice: 'billing' | 'tech' } }; model: string } = await decide({
  state: { text: 'Where is my money?' },
  questions: { team: { type: 'choice', criteria: { billing: 'Money', tech: null } } },
})
export const team: 'billing' | 'tech' = answers.team.choice
// @ts-expect-error no option has this name
export const wrong: boolean = answers.team.choice === 'biling'
// @ts-expect-error a choice has criteria
void decide({ state: '', questions: { q: { type: 'choice' } } })

const engine = await createEngine({ backend: 'cpu', threads: 1 })
const { answers: { mood, sure } } = await engine.decide({
  state: '',
  questions: {
    mood: { type: 'score', criteria: ['bad', 'good'] }, sure: { type: 'noul', instructions: 'Sure?', min_confidence: 0.9 },
  },
}, { signal: AbortSignal.timeout(1000), onProgress: ({ done, total }) => done / total })
export const numbers: number[] = [mood.score, sure.noul, sure.confidence, LIMITS.questions.max]
export const decided: boolean = sure.decided
// @ts-expect-error a score has no choice
export const choice: unknown = mood.choice
const unsure = {} as { threshold?: number }
const { answers: { late } } = await decide({ state: '', questions: { late: { type: 'noul', instructions: 'Late?' } }, min_confidence: unsure.threshold })
// @ts-expect-error no threshold may be set
export const isDecided: boolean = late.decided
// @ts-expect-error this question was not asked
export const other: unknown = answers.other
const { data } = await generateImage({ prompt: 'an apple', size: '256x256', seed: 7, n: 2 }, { steps: 4, guidance: 1 })
export const png: string | undefined = data[0]?.b64_json
export const sent = [new Response(toBytes(data[0])), new Blob([toBytes(data[0])])]
void editImage({ prompt: 'make it green', images: ['', ''] }, { seed: 1, onProgress: ({ stage }) => stage.length })
// @ts-expect-error the size of an edit is that of its source
void editImage({ prompt: 'make it green', image: '', size: '256x256' })
export const response: DecisionResponse | undefined = undefined
export const isBad = (error: unknown): string => InvalidRequestError.isInstance(error) ? error.path + model : String(parseDecisionRequest(error))
`
