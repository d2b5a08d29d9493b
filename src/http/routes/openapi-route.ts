import type { RequestLimits } from '../../schemas/index.ts'
import { createOpenApiDocument } from '../openapi/document.ts'
import type { Route } from '../route.ts'

/** `GET /openapi.json`. */
export function createOpenApiRoute(limits: RequestLimits): Route {
  let text: string | undefined
  return {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    dialect: 'systemone',
    handle() {
      text ??= JSON.stringify(createOpenApiDocument(limits))
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  }
}
