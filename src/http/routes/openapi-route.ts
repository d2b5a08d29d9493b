import { createOpenApiDocument } from '../openapi/document.ts'
import type { Route } from '../route.ts'

/** `GET /openapi.json`. */
export function createOpenApiRoute(): Route {
  let text: string | undefined
  return {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    dialect: 'systemone',
    handle() {
      text ??= JSON.stringify(createOpenApiDocument())
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  }
}
