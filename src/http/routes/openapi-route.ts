import type { OptionLimits } from '../../schemas/index.ts'
import { createJsonResponse } from '../json-response.ts'
import { createOpenApiDocument } from '../openapi/document.ts'
import type { Route } from '../route.ts'

/** `GET /openapi.json`. */
export function createOpenApiRoute(limits: OptionLimits): Route {
  let document: ReturnType<typeof createOpenApiDocument> | undefined
  return {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    dialect: 'systemone',
    handle() {
      document ??= createOpenApiDocument(limits)
      return createJsonResponse(document)
    },
  }
}
