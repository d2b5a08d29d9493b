import { readFile } from 'node:fs/promises'

/** The bundle lies in `dist`, one folder below package.json. */
export async function packageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
