import * as z from 'zod'

/** A whole number from 1. No published model is near what these have as `most`; what is above would be memory that a damaged file asks for. */
export const atMost = (most: number) => z.number().int().positive().max(most)

/** Sizes that models of all kinds have. */
export const sizes = {
  width: atMost(2 ** 16),
  layers: atMost(2 ** 10),
  layersOrNone: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 10),
  heads: atMost(2 ** 10),
  innerWidth: atMost(2 ** 20),
  vocabulary: atMost(2 ** 24),
} as const
