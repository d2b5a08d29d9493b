import { readFileSync } from 'node:fs'

interface Step {
  readonly instruction: string
  readonly value: string
}

/** From one `FROM` to the next. */
export interface Stage {
  readonly name: string | undefined
  readonly steps: readonly Step[]
}

/** The stages of a Dockerfile, with comments left out and continued lines joined. */
export function readDockerfile(file: URL): Stage[] {
  const lines = readFileSync(file, 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const stages: { name: string | undefined; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction, value] = /^([A-Z]+) (.*)$/.exec(line)!
    if (instruction === 'FROM') stages.push({ name: / AS (\w+)$/.exec(value!)?.[1], steps: [] })
    else stages.at(-1)!.steps.push({ instruction: instruction!, value: value! })
  }
  return stages
}

/** What `.dockerignore` leaves out of the files, by the patterns that it has: names, `*`, and a leading `**`. */
export function readIgnored(file: URL): (path: string) => boolean {
  const patterns = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const inside = line
        .replace(/[.+]/g, '\\$&')
        .replace('**/', '(.*/)?')
        .replace(/(?<!\.)\*/g, '[^/]*')
      return new RegExp(`^${inside}(/|$)`)
    })
  return (path) => patterns.some((pattern) => pattern.test(path))
}
