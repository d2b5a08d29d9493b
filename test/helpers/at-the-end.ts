import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Does something behind the test that asks for it, or behind those of the file that does. */
export function atTheEnd(work: () => Promise<void> | void): void {
  if (TestRunner.getCurrentTest() === undefined) afterAll(work)
  else onTestFinished(work)
}
