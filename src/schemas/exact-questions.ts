import type {
  ChoiceQuestionInput,
  DecisionRequestInput,
  NoulQuestionInput,
  QuestionInput,
  QuestionsInput,
  ScoreQuestionInput,
  ThresholdInput,
} from './question-types.ts'

/** Fields of a question by its type. */
interface FieldsOf {
  readonly noul: keyof NoulQuestionInput
  readonly choice: keyof ChoiceQuestionInput
  readonly score: keyof ScoreQuestionInput
}

/**
 * A field that its question does not have is asked for what nobody writes, which the compiler's message then quotes. Beside an object a field stays
 * what it is, where a text beside another text, or null beside anything, would make `never` of the whole question, of which each field would be
 * reported, and nothing quoted.
 */
type NoOtherFields<Q, Known> = {
  readonly [Name in Exclude<keyof Q, Known>]: Q[Name] extends null | undefined
    ? never
    : { readonly error: 'there is no such field in this question' }
}

type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never

/** Whether names are known one by one to be fewer than two. */
type IsFewerThanTwo<Names extends PropertyKey> = [Names] extends [never]
  ? true
  : // An index signature asks for no member; names that are known do.
    {} extends Record<Names, 1>
    ? false
    : IsUnion<Names> extends true
      ? false
      : true

type LevelCount = 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

/** Whether each of several sets of options, of which a question has one, has enough. */
type HasOptions<Criteria> = true extends (Criteria extends unknown ? IsFewerThanTwo<keyof Criteria> : never)
  ? false
  : true

type Counted<Q> = Q extends { readonly type: 'choice'; readonly criteria: infer Criteria }
  ? HasOptions<Criteria> extends false
    ? { readonly criteria: 'a choice needs 2 options or more' }
    : unknown
  : Q extends { readonly type: 'score'; readonly criteria: infer Criteria extends readonly unknown[] }
    ? number extends Criteria['length']
      ? unknown
      : Criteria['length'] extends LevelCount
        ? unknown
        : { readonly criteria: 'a score needs 2 to 10 levels' }
    : unknown

type ExactQuestion<Q extends QuestionInput> = Q extends QuestionInput
  ? NoOtherFields<Q, FieldsOf[Q['type']]> & Counted<Q>
  : never

/**
 * What questions have to be beside what `QuestionsInput` says: without fields that are not theirs, and enough of them,
 * of options and of levels; of several sets, of which a request has one, each by itself. A type parameter alone turns the compiler's check
 * for misspelt fields off.
 */
type ExactQuestions<Questions extends QuestionsInput> = Questions extends unknown
  ? [keyof Questions] extends [never]
    ? 'a request needs 1 to 32 questions'
    : { readonly [Name in keyof Questions]: ExactQuestion<Questions[Name]> }
  : never

/** Questions with what they have to be, so that what one set may not have is not looked for in another. */
type CheckedQuestions<Questions extends QuestionsInput> = Questions extends unknown
  ? Questions & ExactQuestions<Questions>
  : never

/**
 * A decision request whose questions the compiler checks for fields that they don't have. What carries fields of other
 * services is passed `as DecisionRequestInput`: they are ignored, and reported among the `warnings`. A function that takes questions by themselves
 * takes `ExactDecisionRequest<Questions>['questions']`, and calls `decide<Questions>`.
 *
 * @example
 * ```ts
 * async function ask<const Questions extends QuestionsInput>(request: ExactDecisionRequest<Questions>) {
 *   const { answers } = await decide(request)
 *   return answers
 * }
 * const { team } = await ask({ state: 'x', questions: { team: { type: 'choice', criteria: { billing: null, tech: null } } } })
 * team.choice // 'billing' | 'tech'
 * ```
 */
export interface ExactDecisionRequest<
  Questions extends QuestionsInput,
  Threshold extends ThresholdInput = ThresholdInput,
> extends DecisionRequestInput<Questions, Threshold> {
  readonly questions: Questions & CheckedQuestions<Questions>
}

/**
 * Where the compiler reads which threshold a request sets. Of a field that may be left out it takes `undefined` off, so that one that is set on a
 * condition would count as set; every request fits the second of these. TypeScript 7 still takes one as set that is spread from an object in which
 * it may be left out, under `exactOptionalPropertyTypes`.
 */
export type GivenThreshold<Threshold extends ThresholdInput> =
  | {
      /** Confidence, 0 to 1, from which answers count as `decided`. */
      readonly min_confidence: Threshold
    }
  | {
      /** The same, where it may be left out. */
      readonly min_confidence?: ThresholdInput
    }

/**
 * What a request whose type is a parameter has to be beside that type: without fields that it, or a question of it, does not
 * have.
 *
 * @example
 * ```ts
 * async function* ask<const Request extends DecisionRequestInput>(requests: readonly (Request & ExactRequest<Request>)[]) {
 *   yield* decideMany(requests as readonly DecisionRequestInput[])
 * }
 * ```
 */
export type ExactRequest<Request> = Request extends { readonly questions: infer Questions extends QuestionsInput }
  ? NoOtherFields<Request, keyof DecisionRequestInput> & {
      // Of a request that has one of several sets; elsewhere what is wrong would be reported of all questions, not where it is.
      readonly questions: IsUnion<Questions> extends true ? CheckedQuestions<Questions> : ExactQuestions<Questions>
    }
  : unknown
