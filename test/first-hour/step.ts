/** One thing that a newcomer does. */
export interface Step {
  readonly name: string
  /** Packages that it needs beside this one. */
  readonly packages?: readonly string[]
  /** Files of the app, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Variables that Node is started with. */
  readonly env?: Readonly<Record<string, string>>
  /** What Node is given, in turn. */
  readonly runs: readonly (readonly string[])[]
  /** What the last run prints, at least in part. */
  readonly prints: RegExp
}
