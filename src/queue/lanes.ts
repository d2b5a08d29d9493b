import type { RedisClient } from '../redis/connect-redis.ts'
import { lanesKey, PREFIX, type ModelQueue } from './queue-names.ts'

/** The largest priority that BullMQ takes. A queue that never runs empty gets there after so many rounds, and is served in order of arrival then. */
const LAST_ROUND = 2_097_152
/** From here on rounds begin anew when nothing waits. */
const LATE_ROUND = 1_000_000
const KEPT_MS = 3_600_000

/**
 * The round in which a call is served: the one after that of its client's last call, and not before the round that is
 * being served. So clients take turns, whatever each of them has waiting, and one that comes anew is served next.
 */
const TAKE_ROUND = `
local served = tonumber(redis.call('HGET', KEYS[1], 'served') or '0')
if served > tonumber(ARGV[3]) and redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  served = 0
end
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local round = math.min(math.max(served, own) + tonumber(ARGV[5]), tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], round)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return round`

const NOTE_SERVED = `
if tonumber(redis.call('HGET', KEYS[1], 'served') or '0') < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'served', ARGV[1])
end`

/**
 * @param isHalf whether it waits in a lane of its own, which is served in every second round
 * @returns the priority of a client's next call
 */
export async function takeRound(
  client: RedisClient,
  queue: ModelQueue,
  caller: string,
  isHalf = false,
): Promise<number> {
  const keys = [lanesKey(queue), `${PREFIX}:${queue}:prioritized`]
  // The prefix keeps a client from being called as the other field is.
  const values = [
    `${isHalf ? 'half' : 'client'}:${caller}`,
    ...[LAST_ROUND, LATE_ROUND, KEPT_MS, isHalf ? 2 : 1].map(String),
  ]
  return Number(await client.eval(TAKE_ROUND, { keys, arguments: values }))
}

/** Says that a call of this priority is being served. */
export async function noteServed(client: RedisClient, queue: ModelQueue, priority: number): Promise<void> {
  await client.eval(NOTE_SERVED, { keys: [lanesKey(queue)], arguments: [String(priority)] })
}
