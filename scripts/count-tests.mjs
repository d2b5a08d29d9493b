// Prints "N passed, N failed" from the JSON results of vitest, and fails unless all that ran passed.
import { readFileSync } from 'node:fs'

const results = JSON.parse(readFileSync(process.argv[2], 'utf8'))
// A file that could not be loaded has no tests that could fail, and counts as a failure. So does a run that ended badly
// although nothing failed: a test process crashed.
const brokenFiles = results.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
).length
const failed = Math.max(results.numFailedTests + brokenFiles, results.success ? 0 : 1)
console.log(`${results.numPassedTests} passed, ${failed} failed`)
process.exit(failed === 0 && results.numPassedTests > 0 ? 0 : 1)
