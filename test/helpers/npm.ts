import { dirname, join } from 'node:path'

/**
 * What starts npm or npx with these arguments as a process of its own. On Windows both are scripts of a shell, which no
 * process can be started from, beside Node with the JavaScript that they run.
 */
export function npmCommand(program: 'npm' | 'npx', args: readonly string[]): [command: string, args: string[]] {
  if (process.platform !== 'win32') return [program, [...args]]
  const script = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', `${program}-cli.js`)
  return [process.execPath, [script, ...args]]
}
