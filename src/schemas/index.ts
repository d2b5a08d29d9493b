export type { Answer, AnswersOf, ChoiceAnswer, NoulAnswer, ScoreAnswer } from './answer-types.ts'
export { countCharacters } from './characters.ts'
export type { Warning } from './warning.ts'
export { decisionRequestSchema, parseDecisionRequest } from './decision-request.ts'
export { decisionResponseSchema } from './decision-response.ts'
export { type ErrorBody, errorBodySchema } from './error-body.ts'
export type { ExactDecisionRequest, ExactRequest, GivenThreshold } from './exact-questions.ts'
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
export type { ChoiceQuestion, DecisionRequest, NoulQuestion, Question, ScoreQuestion } from './checked-request.ts'
export type { DecisionResponse, ResponseTo } from './decision-response-types.ts'
export type {
  ChoiceQuestionInput,
  DecisionRequestInput,
  NoulQuestionInput,
  QuestionInput,
  QuestionsInput,
  ScoreQuestionInput,
  StateInput,
  TextInput,
  ThresholdInput,
} from './question-types.ts'
export type { State, Text } from './read-text.ts'
