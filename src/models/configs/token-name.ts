import * as z from 'zod'

/** A token as `tokenizer_config.json` names it: by its text, or by an object that has it among how it is matched. */
export const tokenName = z.union([
  z.string(),
  z.looseObject({ content: z.string() }).transform(({ content }) => content),
])
