import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, onTestFinished, TestRunner } from 'vitest'

/** A new folder for the test that asks for it, or for those of the file or `describe` that does, which is gone behind them. */
export function temporaryFolder(): string {
  const folder = join(tmpdir(), `tessera-${randomBytes(6).toString('hex')}`)
  const make = () => {
    mkdirSync(folder)
    return () => rm(folder, { recursive: true, force: true })
  }
  if (TestRunner.getCurrentTest() === undefined) beforeAll(make)
  else onTestFinished(make())
  return folder
}
