/** What JSON can say. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonArray

/** A list of values that JSON can say. */
export type JsonArray = readonly JsonValue[]

/** A record of values that JSON can say. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}
