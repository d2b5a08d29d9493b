import { readdirSync, readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'

/** They kill processes and wait until others take over, so that more of them than there are processors fit beside each other. */
const waiting = [
  'src/queue/webhooks.test.ts',
  'src/queue/fronts.test.ts',
  'src/queue/batches.test.ts',
  'src/http/usage/redis-faults.test.ts',
  'src/cli/serve/serve-faults.test.ts',
  'test/fleet.test.ts',
]

/** What a test does to the whole process, which tests of other files would do too: puts something in a module's place, or watches what all have. */
const OF_THE_PROCESS =
  /vi\.mock\(|vi\.spyOn\((\w+\.prototype|process|globalThis|performance|console)\b|getActiveResourcesInfo|memoryUsage/

/** Tests of sources that have a process of their own. */
const alone = [
  ...readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && OF_THE_PROCESS.test(readFileSync(file, 'utf8'))),
  'src/images/picture/sharp-codec.test.ts',
]

/** One after the other; the processes of a group are as many as it says. */
const group = (groupOrder: number, maxWorkers: number) => ({ sequence: { groupOrder }, maxWorkers })
// Sessions of onnxruntime use several threads each; more workers only take turns.
const busy = group(1, 2)

export default defineConfig({
  test: {
    globalSetup: 'test/helpers/bundle-engine-worker.ts',
    // For what hangs: a machine with other work takes ten times as long as one without.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'waiting', include: waiting, ...group(0, 6) } },
      {
        extends: true,
        // The library has no state of its own, so that files may share a process, which saves a second for each.
        test: {
          name: 'sources',
          include: ['src/**/*.test.ts'],
          exclude: [...waiting, ...alone],
          isolate: false,
          ...busy,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: [...alone, 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...waiting],
          ...busy,
          typecheck: {
            enabled: true,
            include: ['src/**/*.test-d.ts'],
            tsconfig: './tsconfig.types.json',
            // `npm run check` compiles all sources; here only the type tests count.
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
})
