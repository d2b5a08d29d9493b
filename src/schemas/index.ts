export type { Answer, AnswersOf, ChoiceAnswer, DecisionResponse, NoulAnswer, ScoreAnswer } from './answer-types.ts'
export { countCharacters } from './characters.ts'
export type { Warning } from './warning.ts'
export { decisionRequestSchema, parseDecisionRequest } from './decision-request.ts'
export { decisionResponseSchema } from './decision-response.ts'
export { type ErrorBody, errorBodySchema } from './error-body.ts'
export type { ExactDecisionRequest } from './exact-questions.ts'
export {
  type ImageEditRequest,
  imageEditRequestSchema,
  type ImageGenerationRequest,
  imageGenerationRequestSchema,
  imageResponseSchema,
  parseImageEditRequest,
  parseImageGenerationRequest,
} from './image-schemas.ts'
export type {
  EditImageRequest,
  ImageData,
  ImageEditRequestInput,
  ImageGenerationRequestInput,
  ImageResponse,
  PictureSource,
} from './image-types.ts'
export type { JsonArray, JsonObject, JsonValue } from './json-types.ts'
export { LIMITS, type ParseSettings, type OptionLimits } from './limits.ts'
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
  ThresholdInput,
} from './question-types.ts'
export type { State, Text } from './read-text.ts'
