// Prints "N passed, N failed" from the JSON results of vitest, and fails if anything did not pass.
import { readFileSync } from 'node:fs'

const results = JSON.parse(readFileSync(process.argv[2], 'utf8'))
// A file that could not even be loaded has no tests in it, but it is a failure all the same.
const brokenFiles = results.testResults.filter(file =>
  file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed')).length
const failed = results.numFailedTests + brokenFiles
console.log(`${results.numPassedTests} passed, ${failed} failed`)
process.exit(failed === 0 && results.numPassedTests > 0 ? 0 : 1)
