import * as z from 'zod'
import type { Engine } from '../../engine/index.ts'
import { ModelNotFoundError } from '../../errors/index.ts'
import { isHubName } from '../../models/find/is-model-name.ts'
import { createJsonResponse } from '../json-response.ts'
import { requireModel } from '../keys/permissions.ts'
import { modelName } from '../model-name.ts'
import type { Route } from '../route.ts'

/** Name that clients of compatible services send unless told otherwise. */
const ALIAS = 'jev-latest'
const SERVED_BY_ALIAS = 'decide-latest'

/** Day on which this version's names began to mean what they do. */
const RELEASE_DATE = '2026-11-21'

/** Body of `GET /v1/models/{id}`, as clients of OpenAI read it. */
export const modelSchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

/** Body of `GET /v1/models`: clients of System One read `models`, those of OpenAI `data`. */
export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(modelSchema),
  models: z.array(z.object({ name: z.string(), description: z.string(), release_date: z.iso.date() })),
})

type Models = Pick<Engine, 'models'>

export function createModelRoutes(engine: Models): Route[] {
  return [createListRoute(engine), createModelRoute(engine)]
}

/** Lists the names that a request with this key may give here. A name whose model is not installed is left out. */
function createListRoute(engine: Models): Route {
  return {
    method: 'GET',
    path: '/v1/models',
    access: 'key',
    dialect: 'openai',
    async handle({ caller }) {
      const models = (await namesOf(engine)).filter(({ name }) => caller.models?.includes(name) ?? true)
      return createJsonResponse({
        object: 'list',
        data: models.map(({ name }) => describe(name)),
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

/** One name of the list. What a key may not use is refused before it is looked for, as requests that give it are. */
function createModelRoute(engine: Models): Route {
  return {
    method: 'GET',
    path: '/v1/models/{id}',
    access: 'key',
    dialect: 'openai',
    async handle({ caller, params }) {
      const wanted = readName(params.id!)
      requireModel(caller, wanted)
      const names = (await namesOf(engine)).map(({ name }) => name)
      if (!names.includes(wanted)) throw new ModelNotFoundError(wanted, names, pullCommand(wanted))
      return createJsonResponse(describe(wanted))
    },
  }
}

function pullCommand(name: string): string {
  return isHubName(name) ? `npx tessera-onnx pull ${name}` : 'npx tessera-onnx pull <owner>/<name>, and give that name'
}

/** Names of installed models, those of an engine and the one that stands for them with other clients. */
async function namesOf(engine: Models) {
  const installed = (await engine.models()).filter(({ available }) => available)
  return [
    ...installed,
    ...installed.filter(({ name }) => name === SERVED_BY_ALIAS).map((model) => ({ ...model, name: ALIAS })),
  ]
}

function describe(name: string): z.input<typeof modelSchema> {
  return { id: name, object: 'model', created: Date.parse(RELEASE_DATE) / 1000, owned_by: 'tessera' }
}

/** Clients write the slash of a hub's name as %2F. What is encoded wrongly is the name of no model. */
function readName(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
