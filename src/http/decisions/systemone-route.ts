import { InvalidRequestError } from '../../errors/index.ts'
import { createDecisionParser } from '../../schemas/decision-request.ts'
import type { OptionLimits } from '../../schemas/index.ts'
import { createJsonResponse } from '../json-response.ts'
import type { Route } from '../route.ts'
import type { DecisionService } from './decision-service.ts'
import { hasOnly } from './has-only.ts'

/** `POST /v1/systemone`: section 2.4 to 2.6 of the specification, and the wire of compatible services. */
export function createSystemOneRoute(service: DecisionService, limits: OptionLimits): Route {
  const parse = createDecisionParser({ ...limits, hidesMembers: true })
  return {
    method: 'POST',
    path: '/v1/systemone',
    access: 'work',
    scope: 'decide',
    dialect: 'systemone',
    async handle(call) {
      const body = await call.readJson()
      if (hasOnly(body, 'input', 'state')) {
        throw new InvalidRequestError('state', 'is required; a body with "input" belongs to POST /v1/decisions')
      }
      return createJsonResponse(await service.decide(parse(body), call))
    },
  }
}
