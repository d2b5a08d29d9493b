import type { ArgsDef, CommandDef } from 'citty'
import { refuseMisplacedOptions } from './refuse-unknown-arguments.ts'

type Load<Args extends ArgsDef> = () => Promise<CommandDef<Args>>

/** A command whose code is read when it is run, or asked for its options: each of them needs other parts of the library. */
export function lazily<Args extends ArgsDef>(name: string, description: string, load: Load<Args>): CommandDef<Args> {
  return {
    meta: { name, description },
    args: () => argsOf(load),
    async run(context) {
      const command = await load()
      return command.run?.({ ...context, cmd: command })
    },
  }
}

/** The same for a command that has others below it. */
export function lazyGroup<Args extends ArgsDef>(name: string, description: string, load: Load<Args>): CommandDef<Args> {
  const subCommands = async () => (await resolve((await load()).subCommands)) ?? {}
  const first = async () => (await resolve((await load()).default)) ?? ''
  return {
    meta: { name, description },
    args: () => argsOf(load),
    setup: refuseMisplacedOptions,
    subCommands,
    default: first,
  }
}

async function argsOf<Args extends ArgsDef>(load: Load<Args>): Promise<Args> {
  return (await resolve((await load()).args)) ?? ({} as Args)
}

function resolve<Value>(
  given: Value | Promise<Value> | (() => Value) | (() => Promise<Value>),
): Value | Promise<Value> {
  return typeof given === 'function' ? (given as () => Value | Promise<Value>)() : given
}
