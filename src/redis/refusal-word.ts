/** What a Redis server begins a refusal with: words of its own, whatever follows them. */
const REFUSED =
  /^(?:BUSY|CLUSTERDOWN|CROSSSLOT|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|NOREPLICAS|NOSCRIPT|OOM|READONLY|WRONGPASS)(?= )/

/** The word that says why a server refuses, such as `NOPERM`; undefined where an error is no such refusal. */
export function refusalWord({ message }: Error): string | undefined {
  return REFUSED.exec(message)?.[0]
}
