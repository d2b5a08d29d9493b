import * as z from 'zod'
import type { Engine } from '../../engine/index.ts'
import { createJsonResponse } from '../json-response.ts'
import { modelName } from '../model-name.ts'
import type { Route } from '../route.ts'

/** Name that clients of compatible services send unless told otherwise. */
const ALIAS = 'jev-latest'
const SERVED_BY_ALIAS = 'decide-latest'

/** Day on which this version's names began to mean what they do. */
const RELEASE_DATE = '2026-11-21'

/** Body of `GET /v1/models`: clients of System One read `models`, those of OpenAI `data`. */
export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })),
  models: z.array(z.object({ name: z.string(), description: z.string(), release_date: z.iso.date() })),
})

/** Lists the names that a request with this key may give here. A name whose model is not installed is left out. */
export function createModelsRoute(engine: Pick<Engine, 'models'>): Route {
  return {
    method: 'GET',
    path: '/v1/models',
    access: 'key',
    dialect: 'systemone',
    async handle({ caller }) {
      const installed = (await engine.models()).filter(({ available }) => available)
      const aliases = installed
        .filter(({ name }) => name === SERVED_BY_ALIAS)
        .map((model) => ({ ...model, name: ALIAS }))
      const models = [...installed, ...aliases].filter(({ name }) => caller.models?.includes(name) ?? true)
      return createJsonResponse({
        object: 'list',
        data: models.map(({ name }) => ({
          id: name,
          object: 'model',
          created: Date.parse(RELEASE_DATE) / 1000,
          owned_by: 'tessera',
        })),
        // Clients of System One take each of these for one that answers questions.
        models: models
          .filter(({ kind }) => kind !== 'images')
          .map(({ name, id }) => ({
            name,
            description: `answered by ${modelName(id ?? name)}`,
            release_date: RELEASE_DATE,
          })),
      } satisfies z.input<typeof modelListSchema>)
    },
  }
}
