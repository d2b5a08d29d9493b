import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: 'test/helpers/bundle-engine-worker.ts',
    // Sessions of onnxruntime use several threads each; more workers only take turns.
    maxWorkers: 2,
    // For what hangs: a machine with other work takes ten times as long as one without.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    typecheck: {
      enabled: true,
      include: ['src/**/*.test-d.ts'],
      tsconfig: './tsconfig.types.json',
      // `npm run check` compiles all sources; here only the type tests count.
      ignoreSourceErrors: true,
    },
  },
})
