import type { ArgDef, ArgsDef, CommandContext } from 'citty'
import { InvalidRequestError } from '../errors/index.ts'
import { nearestName } from '../schemas/nearest-name.ts'

/**
 * The parser takes any option and any number of words; a misspelled `--min-confidence` would go unnoticed.
 *
 * @throws InvalidRequestError naming the first argument that the command does not have
 */
export function refuseUnknownArguments<Args extends ArgsDef>({ args, cmd }: CommandContext<Args>): void {
  const definitions = (cmd.args ?? {}) as Args
  const known = new Set([
    ...Object.entries(definitions).flatMap(([name, definition]) => [name, ...aliasesOf(definition)]),
    // `--color` and `--no-color` are picocolors' own.
    'color',
  ])
  const unknown = Object.keys(args).find((name) => name !== '_' && !known.has(name) && !known.has(kebabCase(name)))
  if (unknown !== undefined) {
    const meant = nearestName(unknown, [...known])
    const remedy = meant === undefined ? 'see --help' : `--${meant} may be meant`
    throw new InvalidRequestError(
      `${unknown.length === 1 ? '-' : '--'}${unknown}`,
      `is no option of this command; ${remedy}`,
    )
  }
  const words = Object.keys(definitions).filter((name) => definitions[name]!.type === 'positional')
  if (args._.length <= words.length) return
  if (words.at(-1) === 'prompt') {
    throw new InvalidRequestError(
      'prompt',
      'must be one text, got several words; put them in quotes: "a fox on a blue background"',
    )
  }
  throw new InvalidRequestError(
    'arguments',
    `expected at most ${words.length} without a name, got ${args._.length}; see --help`,
  )
}

function aliasesOf(definition: ArgDef): readonly string[] {
  const { alias = [] } = definition as { readonly alias?: string | readonly string[] }
  return typeof alias === 'string' ? [alias] : alias
}

/** The parser gives every option under its camelCase name as well. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
