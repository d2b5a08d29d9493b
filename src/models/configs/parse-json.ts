/** Texts in quotes, ended or not, so that no text is looked through twice; and numbers that JSON has not. */
const TEXT_OR_CONSTANT = /"(?:[^"\\]+|\\[^])*(?:"|\\?$)|-?\b(?:Infinity|NaN)\b/g
const IN_JSON: Readonly<Record<string, string>> = { Infinity: '1e999', '-Infinity': '-1e999', NaN: '"NaN"' }

/**
 * Reads JSON, and what Python's `json` writes as such: diffusers saves a `DPMSolverMultistepScheduler` with `-Infinity` in it.
 * NaN becomes the text of its name, which no field of numbers takes: JSON has no way to write it.
 *
 * @throws SyntaxError for what is neither
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const found = text.replace(TEXT_OR_CONSTANT, (match) => (match.startsWith('"') ? match : (IN_JSON[match] ?? match)))
    if (found === text) throw error
    return JSON.parse(found)
  }
}

/** The same; undefined for a text that is neither, and where there is none. */
export function tryParseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}
