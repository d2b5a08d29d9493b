import * as z from 'zod'
import { amount, count, mustBe } from '../../options/index.ts'

/** The noise is drawn from it. Larger numbers are not exact in JavaScript. */
export const SEED = z.custom<number>(Number.isSafeInteger, mustBe('an integer within ±(2^53 - 1)'))

/** Denoising steps: as many as the noise levels that the models were trained on. */
export const STEPS = count(1, 1000)

/** Strength of guidance: several times what any model is used with; far beyond, numbers overflow. */
export const GUIDANCE = amount(0, 100)

/** Factor of what a ControlNet adds: 1 is as it was trained. Beyond twice that pictures fall apart. */
export const CONTROL_SCALE = amount(0, 2)

/** Share of the steps that a picture to begin with is taken through; 0 would leave none to take. */
export const STRENGTH = z
  .custom<number>(
    (value) => typeof value === 'number' && value > 0 && value <= 1,
    mustBe('a number above 0 and at most 1'),
  )
  .meta({ type: 'number', exclusiveMinimum: 0, maximum: 1 })
