import { giveRoundBack } from '../lanes.ts'
import { CALL_OVER, callKey, type ModelQueue } from '../queue-names.ts'
import type { Connected } from './connect-front.ts'
import type { PendingCall } from './pending-call.ts'

/** The worker that has a call may have ended: whoever takes it next, however late, is not to compute it. */
const END_CALL = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], '${CALL_OVER}', '1') end`

/** Who waits, and whether in the lane that is served in every second round. */
export function laneOf({ options }: PendingCall): [caller: string, isHalf: boolean] {
  return [options.client ?? '', options.priority === 'half']
}

/** Takes a call out of its queue, where no worker has it. */
export async function takeOut(connected: Connected, pending: PendingCall, name: ModelQueue): Promise<void> {
  const removed = await connected.queue(name).remove(pending.id)
  if (removed !== 0) return giveBack(connected, pending, name)
  await connected.client.eval(END_CALL, { keys: [callKey(name, pending.id)] })
}

/** Once, and not the round of a call that was served: BullMQ says that it removed a call also where there is none. */
export async function giveBack({ client }: Connected, pending: PendingCall, name: ModelQueue): Promise<void> {
  if (!pending.owesRound) return
  pending.owesRound = false
  await giveRoundBack(client, name, ...laneOf(pending))
}
