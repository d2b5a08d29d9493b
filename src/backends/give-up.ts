/** What is transferred to a port that is closed is gone. Node 20 has no other way of freeing an ArrayBuffer. */
const { port1: NOWHERE } = new MessageChannel()
NOWHERE.close()

/** Gives the memory of buffers, each of them once, back now and not with some later garbage collection; nothing in them can be read any more. */
export function giveUp(buffers: readonly ArrayBuffer[]): void {
  NOWHERE.postMessage(undefined, [...buffers])
}
