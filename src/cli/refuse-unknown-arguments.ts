import { parseArgs } from 'node:util'
import type { ArgDef, ArgsDef, CommandContext } from 'citty'
import { InvalidRequestError } from '../errors/index.ts'
import { nearestName } from '../schemas/nearest-name.ts'

/** `--color` and `--no-color` are picocolors' own, which looks for them anywhere. */
const COLOR = /^--(no-)?color$/

/**
 * The parser takes any option and any number of words; a misspelled `--min-confidence` would go unnoticed, and so would
 * all values but the last of an option that is given twice. Any value of a switch but `false` is on to it, and `--no-` in front
 * of an option that has a value is `false`.
 *
 * @throws InvalidRequestError naming the first argument that the command does not have, has once only or has in another form
 */
export function refuseUnknownArguments<Args extends ArgsDef>({ args, cmd, rawArgs }: CommandContext<Args>): void {
  const definitions = (cmd.args ?? {}) as Args
  const known = new Set([
    ...Object.entries(definitions).flatMap(([name, definition]) => [name, ...aliasesOf(definition)]),
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
  const given = readOptions(definitions, rawArgs)
  refuseRepeated(definitions, given)
  refuseMisused(definitions, args, given)
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

/**
 * The parser hands a command only what stands behind its name.
 *
 * @throws InvalidRequestError naming the first option that stands before it
 */
export function refuseMisplacedOptions<Args extends ArgsDef>({ args, rawArgs }: CommandContext<Args>): void {
  const first = rawArgs.find((argument) => !COLOR.test(argument))
  // Without a name they belong to the command that runs then.
  if (args._.length === 0 || first === undefined || first === '--' || !first.startsWith('-')) return
  throw new InvalidRequestError(
    first.split('=')[0]!,
    'stands before the name of a command, where nothing reads it; put options at the end',
  )
}

interface GivenOption {
  readonly name: string
  readonly value: string | undefined
}

/** The options that were given, in their order, by the name that the command has for them or that they were given. */
function readOptions(definitions: ArgsDef, rawArgs: string[]): readonly GivenOption[] {
  const options = optionsWithValues(definitions).flatMap(([name, definition]) => {
    const short = aliasesOf(definition).find((alias) => alias.length === 1)
    // The parser takes `--minConfidence` as well; a name without a hyphen is the same in both forms.
    return [
      [camelCase(name), { type: 'string' }],
      [name, { type: 'string', ...(short !== undefined && { short }) }],
    ] as const
  })
  const { tokens } = parseArgs({
    args: rawArgs,
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  return tokens.flatMap((token) =>
    token.kind === 'option' ? [{ name: kebabCase(token.name), value: token.value }] : [],
  )
}

function refuseRepeated(definitions: ArgsDef, given: readonly GivenOption[]): void {
  const repeated = optionsWithValues(definitions).find(
    ([name]) => given.filter((option) => option.name === name).length > 1,
  )?.[0]
  if (repeated === undefined) return
  throw new InvalidRequestError(`--${repeated}`, 'was given more than once; give it once, with all that it is to say')
}

function refuseMisused(definitions: ArgsDef, args: Readonly<Record<string, unknown>>, given: readonly GivenOption[]) {
  const negated = optionsWithValues(definitions).find(([name]) => args[name] === false)?.[0]
  if (negated !== undefined)
    throw new InvalidRequestError(`--no-${negated}`, `makes no sense, as --${negated} has a value; leave it out`)
  const valued = given.find(
    ({ name, value }) => definitions[name]?.type === 'boolean' && ![undefined, 'true', 'false'].includes(value),
  )
  if (valued === undefined) return
  const { name, value = '' } = valued
  throw new InvalidRequestError(
    `--${name}`,
    `is on where it is given and off as --no-${name}; expected no value, true or false, got '${value.slice(0, 200)}'`,
  )
}

function optionsWithValues(definitions: ArgsDef): [string, ArgDef][] {
  return Object.entries(definitions).filter(([, { type }]) => type === 'string' || type === 'enum')
}

function aliasesOf(definition: ArgDef): readonly string[] {
  const { alias = [] } = definition as { readonly alias?: string | readonly string[] }
  return typeof alias === 'string' ? [alias] : alias
}

/** The parser gives every option under its camelCase name as well. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
