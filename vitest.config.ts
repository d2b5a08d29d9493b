import { configDefaults, defineConfig } from 'vitest/config'

/** They kill processes and wait until others take over, or for what never answers, so that more of them than there are processors fit beside each other. */
const waiting = [
  'src/http/webhooks/shared-deliveries.test.ts',
  'src/queue/webhooks.test.ts',
  'src/queue/fronts.test.ts',
  'src/queue/batches.test.ts',
  'src/http/usage/redis-faults.test.ts',
  'src/cli/serve/serve-faults.test.ts',
  'test/fleet.test.ts',
]

/** Sessions of onnxruntime use several threads each, but many tests wait for browsers, servers and processes. */
const BUSY = 4

/** They change nothing of their process, so that files share one: starting one for each, which loads the library's code anew, took half of their processor time. */
const sharing = [
  'src/{console,decide,errors,evaluate,graph,images,jobs,onnx,options,schemas}/**/!(half-range|large-source|image-task|lanczos|sharp-codec).test.ts',
  'src/http/{batches,body,decisions,images,jobs,metrics,openapi,routes,webhooks}/**/*.test.ts',
  'src/{ai-sdk,backends,engine}/**/!(cpu-refusal|half-feeds|provider-probe|runtime-telemetry).test.ts',
  'src/http/*.test.ts',
  'src/http/{adapters,admin,console,keys,limits,usage}/**/*.test.ts',
  'src/http/serve/!(lifecycle).test.ts',
  'src/models/*.test.ts',
  'src/models/{find,quantize}/**/!(downloaded-models|home-folder|plug-and-play|slice-quantizer).test.ts',
  'src/models/files/{is-unwritable,model-folder}.test.ts',
  'src/models/pull/!(faults|pull-model|pull-quantized|pull-quantized-reads).test.ts',
  'src/web/{create-engine,cut-off,resolve-web-options,write-png}.test.ts',
  'src/queue/!(heads|queue-calls|sealer|traces).test.ts',
  'src/queue/{front,jobs,worker}/!(connect-front|queue-activity|queue-front|worker-faults|worker-start).test.ts',
  'src/cli/!(main|max-options|read-file|run-command|until-interrupted|usage-command).test.ts',
  'src/cli/{bench,products}/!(measure-backend).test.ts',
  'src/cli/decide/{read-rows,while-alone}.test.ts',
  'src/cli/doctor/{check-next-config,diagnose-model}.test.ts',
  'src/cli/evaluate/read-labelled-rows.test.ts',
  'src/cli/pictures/!(picture-command).test.ts',
  'src/cli/pull/download-report.test.ts',
  'src/cli/quantize/choose-format.test.ts',
  'src/cli/serve/{access-log,serve-arguments}.test.ts',
  'test/clients/!(ai-sdk-*).test.ts',
  'test/{decide-mini,documents,embedded-images,fuzz,hostile-configs,image-mini-figures,lora-service,operations,peers,redis-client,service-errors,speed-figures}.test.ts',
  'test/conformance/!(transport).test.ts',
  'src/models/{configs,fp8,gguf,int4,language-models,lora,parts,weights}/**/!(open-adapter|parts-manifest).test.ts',
]

const patient = {
  // For what hangs: a machine with other work takes ten times as long as one without.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    // Here alone, and not in what the projects have in common: each of them would do it once more.
    globalSetup: ['test/helpers/folder-of-run.ts', 'test/helpers/bundle-engine-worker.ts'],
    projects: [
      { test: { ...patient, name: 'waiting', include: waiting, sequence: { groupOrder: 0 }, maxWorkers: 6 } },
      {
        test: {
          ...patient,
          name: 'sharing',
          include: sharing,
          exclude: [...configDefaults.exclude, ...waiting],
          isolate: false,
          sequence: { groupOrder: 1 },
          maxWorkers: BUSY,
        },
      },
      {
        test: {
          ...patient,
          name: 'busy',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...waiting, ...sharing],
          sequence: { groupOrder: 1 },
          maxWorkers: BUSY,
        },
      },
    ],
  },
})
