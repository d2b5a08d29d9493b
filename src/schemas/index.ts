export type { Answer, AnswersOf, ChoiceAnswer, DecisionResponse, NoulAnswer, ScoreAnswer } from './answer-types.ts'
export { countCharacters } from './characters.ts'
export { decisionRequestSchema, parseDecisionRequest } from './decision-request.ts'
export { decisionResponseSchema } from './decision-response.ts'
export { type ErrorBody, errorBodySchema } from './error-body.ts'
export {
  type ImageEditRequest,
  type ImageEditRequestInput,
  imageEditRequestSchema,
  type ImageGenerationRequest,
  type ImageGenerationRequestInput,
  imageGenerationRequestSchema,
  type ImageResponse,
  imageResponseSchema,
  parseImageEditRequest,
  parseImageGenerationRequest,
} from './image-schemas.ts'
export type { JsonArray, JsonObject, JsonValue } from './json-types.ts'
export { LIMITS, type ParseSettings, type RequestLimits } from './limits.ts'
export type {
  ChoiceQuestion,
  ChoiceQuestionInput,
  DecisionRequest,
  DecisionRequestInput,
  NoulQuestion,
  NoulQuestionInput,
  Question,
  QuestionInput,
  QuestionsInput,
  ScoreQuestion,
  ScoreQuestionInput,
  StateInput,
  TextInput,
} from './question-types.ts'
export type { State, Text } from './read-text.ts'
