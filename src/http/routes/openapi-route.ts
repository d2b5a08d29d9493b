import type { OptionLimits } from '../../schemas/index.ts'
import { createPiecesResponse } from '../json-response.ts'
import { createOpenApiDocument } from '../openapi/document.ts'
import type { Route } from '../route.ts'

/** `GET /openapi.json`. Anyone may ask for it as often as they like, so it is written once, and all who read it share its bytes. */
export function createOpenApiRoute(limits: OptionLimits): Route {
  let pieces: readonly Uint8Array[] | undefined
  return {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    dialect: 'systemone',
    handle() {
      pieces ??= [Buffer.from(JSON.stringify(createOpenApiDocument(limits)))]
      return createPiecesResponse(pieces)
    },
  }
}
