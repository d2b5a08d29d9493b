import { InvalidRequestError } from '../../errors/index.ts'
import { createDecisionParser } from '../../schemas/decision-request.ts'
import type { OptionLimits } from '../../schemas/index.ts'
import { parseRequest } from '../../schemas/parse-request.ts'
import { createJsonResponse } from '../json-response.ts'
import type { Route } from '../route.ts'
import type { DecisionService } from './decision-service.ts'
import { hasOnly } from './has-only.ts'
import { toOpenAiFault, toSystemOne } from './openai-mapping.ts'
import { createOpenAiRequestSchema } from './openai-request.ts'
import { toOpenAiResponse } from './openai-response.ts'

/** `POST /v1/decisions`: the same decisions on the wire of OpenAI's clients. */
export function createOpenAiRoute(service: DecisionService, limits: OptionLimits): Route {
  const parse = createDecisionParser({ ...limits, hidesMembers: true })
  const schema = createOpenAiRequestSchema(limits)
  return {
    method: 'POST',
    path: '/v1/decisions',
    access: 'work',
    scope: 'decide',
    dialect: 'openai',
    async handle(call) {
      const body = await call.readJson()
      if (hasOnly(body, 'state', 'input')) {
        throw new InvalidRequestError('input', 'is required; a body with "state" belongs to POST /v1/systemone')
      }
      const request = parseRequest(schema, body)
      try {
        const response = await service.decide(parse(toSystemOne(request)), call)
        return createJsonResponse(toOpenAiResponse(request, response))
      } catch (error) {
        throw toOpenAiFault(error, request)
      }
    },
  }
}
