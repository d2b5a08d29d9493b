import { defineConfig } from 'tsup'
import { bundleConsole } from './scripts/bundle-console.ts'
import { bundleRedis, redisBeside } from './scripts/bundle-redis.ts'
import { bundleWeb } from './scripts/bundle-web.ts'
import { licenseNotices } from './scripts/license-notices.ts'

/** What users import: each has a subpath under `exports` in package.json, and types. */
const modules = {
  index: 'src/index.ts',
  schemas: 'src/schemas/index.ts',
  server: 'src/http/index.ts',
  'ai-sdk': 'src/ai-sdk/index.ts',
  express: 'src/http/adapters/express.ts',
  fastify: 'src/http/adapters/fastify.ts',
  hono: 'src/http/adapters/hono.ts',
  next: 'src/http/adapters/next.ts',
  node: 'src/http/adapters/node.ts',
  queue: 'src/queue/index.ts',
}

/** What is started and never imported. */
const programs = {
  cli: 'src/cli/main.ts',
  worker: 'src/engine/worker/worker.ts',
  'body-worker': 'src/http/body/body-worker.ts',
  'quantize-worker': 'src/models/quantize/quantize-worker.ts',
}

/** What `tsconfig.declarations.json` makes of the sources: to put it together takes a tenth of the time of making it here. */
const declarations = Object.fromEntries(
  Object.entries({ ...modules, 'web/index': 'src/web/index.ts' }).map(([name, source]) => [
    name,
    `out/declarations/${source.replace('.ts', '.d.ts')}`,
  ]),
)

export default defineConfig({
  // Names without a folder, so that code finds ./worker.js and ../models/ from whichever chunk it ends up in.
  entry: { ...modules, ...programs },
  format: 'esm',
  target: 'node20',
  // tsup passes `baseUrl` to the compiler, which TypeScript 6 calls deprecated.
  dts: { entry: declarations, compilerOptions: { ignoreDeprecations: '6.0' } },
  clean: true,
  // Of zod only what is used: its languages alone are 50 files, which every start would load.
  noExternal: ['zod'],
  esbuildPlugins: [redisBeside, licenseNotices('dist/LICENSES.txt')],
  onSuccess: async () => {
    await bundleConsole('dist/console')
    await bundleRedis('dist')
    await bundleWeb('dist/web')
  },
})
