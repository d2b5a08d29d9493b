import { homedir } from 'node:os'

/**
 * The home of the user. One who is a number without a name, as services and containers have, may have none: Node then throws,
 * and its home is `/`, as such users' entries say where they have one.
 */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
