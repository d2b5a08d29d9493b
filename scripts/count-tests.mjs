// Adds up JSON results of vitest, of one run or of several that complete each other, and prints
// "N passed, N failed, N skipped". Fails unless all that ran passed, and what was skipped in every run may be
// (test/allowed-skips.json, which says why).
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
const runs = process.argv.slice(2).map(read)
const allowed = read('test/allowed-skips.json')
// On musl, Linux has no native binding of onnxruntime.
const musl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
const vnni = existsSync('/proc/cpuinfo') && readFileSync('/proc/cpuinfo', 'utf8').includes('vnni')
const machine = [
  musl ? 'linux-musl' : process.platform,
  ...(process.arch === 'x64' && !vnni ? ['x64-without-vnni'] : []),
]
const ORDER = ['skipped', 'passed', 'failed']

/** The best that is known of every test, but a failure always counts. */
const states = new Map()
let broken = 0
for (const { testResults, numFailedTests, success } of runs) {
  // A file that could not be loaded has no tests that could fail, and counts as a failure. So does a run that ended
  // badly although nothing failed: a test process crashed.
  const files = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  for (const { name } of files) console.log(`failed as a whole: ${name}`)
  const crashed = !success && numFailedTests === 0 && files.length === 0
  if (crashed) console.log('a run ended badly although no test of it failed')
  broken += files.length + (crashed ? 1 : 0)
  for (const { name, assertionResults } of testResults) {
    const file = relative('.', name).replaceAll('\\', '/')
    for (const [index, { status, fullName, failureMessages = [] }] of assertionResults.entries()) {
      // Tests of a table may share a name.
      const key = JSON.stringify([file, index, fullName])
      const state = ['passed', 'failed'].includes(status) ? status : 'skipped'
      if (ORDER.indexOf(state) > ORDER.indexOf(states.get(key)?.state)) {
        states.set(key, { file, fullName, state, why: failureMessages.join('\n').slice(0, 2000) })
      }
    }
  }
}

const of = (state) => [...states.values()].filter((test) => test.state === state)
const isAllowed = ({ file, fullName }) =>
  allowed.some(
    ({ file: skipped, test = '', platforms = machine }) =>
      skipped === file && fullName.includes(test) && machine.some((name) => platforms.includes(name)),
  )
const unexpected = of('skipped').filter((test) => !isAllowed(test))
for (const { file, fullName } of unexpected) {
  console.log(`skipped, which test/allowed-skips.json does not allow: ${file}: ${fullName}`)
}
// At the end of a long log, where whoever asks why it failed looks first.
for (const { file, fullName, why } of of('failed')) console.log(`failed: ${file}: ${fullName}\n${why}`)
const passed = of('passed').length
const failed = of('failed').length + broken
console.log(`${passed} passed, ${failed} failed, ${of('skipped').length} skipped`)
process.exit(failed === 0 && passed > 0 && unexpected.length === 0 ? 0 : 1)
