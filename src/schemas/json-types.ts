export type JsonValue = string | number | boolean | null | JsonObject | JsonArray

export type JsonArray = readonly JsonValue[]

export interface JsonObject {
  readonly [name: string]: JsonValue
}
