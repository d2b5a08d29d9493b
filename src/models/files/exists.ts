import { access } from 'node:fs/promises'

/** Whether something is at a path, behind links too. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
