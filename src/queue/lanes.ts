import type { RedisClient } from '../redis/connect-redis.ts'
import { lanesKey, PREFIX, type ModelQueue } from './queue-names.ts'
import { NOW } from './server-time.ts'

/** The largest priority that BullMQ takes. A queue that never runs empty gets there after so many rounds, and is served in order of arrival then. */
const LAST_ROUND = 2 ** 21 - 1
/** From here on rounds begin anew when nothing waits. */
const LATE_ROUND = 1_000_000
const KEPT_MS = 3_600_000

/**
 * The round in which a call is served: the one after that of its client's last call, and not before the round that is
 * being served. So clients take turns, whatever each of them has waiting, and one that comes anew is served next.
 */
const TAKE_ROUND = `${NOW}
local served = tonumber(redis.call('HGET', KEYS[1], 'served') or '0')
if served > tonumber(ARGV[3]) and redis.call('ZCARD', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[1])
  served = 0
end
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local round = math.min(math.max(served, own) + tonumber(ARGV[5]), tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], ARGV[1], round)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {round, now}`

/** The rounds of a client never fall below none, as the server may have forgotten them. */
const GIVE_BACK = `
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if own >= tonumber(ARGV[2]) then redis.call('HINCRBY', KEYS[1], ARGV[1], '-' .. ARGV[2]) end`

const NOTE_SERVED = `
if tonumber(redis.call('HGET', KEYS[1], 'served') or '0') < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'served', ARGV[1])
end`

/**
 * @param isHalf whether it waits in a lane of its own, which is served in every second round
 * @returns the priority of a client's next call, and since when it waits, by the server's clock
 */
export async function takeRound(
  client: RedisClient,
  queue: ModelQueue,
  caller: string,
  isHalf = false,
): Promise<{ readonly priority: number; readonly timestamp: number }> {
  const keys = [lanesKey(queue), `${PREFIX}:${queue}:prioritized`]
  const values = [fieldOf(caller, isHalf), ...[LAST_ROUND, LATE_ROUND, KEPT_MS, stepOf(isHalf)].map(String)]
  const [priority, timestamp] = (await client.eval(TAKE_ROUND, { keys, arguments: values })) as [number, number]
  return { priority, timestamp }
}

/** Gives back the round of a call that is served to nobody: its client's next one would wait for it. */
export async function giveRoundBack(
  client: RedisClient,
  queue: ModelQueue,
  caller: string,
  isHalf: boolean,
): Promise<void> {
  const values = [fieldOf(caller, isHalf), String(stepOf(isHalf))]
  await client.eval(GIVE_BACK, { keys: [lanesKey(queue)], arguments: values })
}

/** Whether a client has calls there that wait for a round to come. */
export async function isWaiting(client: RedisClient, queue: ModelQueue, caller: string): Promise<boolean> {
  const fields = ['served', fieldOf(caller, false), fieldOf(caller, true)]
  const [served = 0, ...own] = (await client.hmGet(lanesKey(queue), fields)).map(Number)
  return own.some((round) => round > served)
}

/** The prefix keeps a client from being called as the other field is. */
const fieldOf = (caller: string, isHalf: boolean) => `${isHalf ? 'half' : 'client'}:${caller}`

const stepOf = (isHalf: boolean) => (isHalf ? 2 : 1)

/** Says that a call of this priority is being served. */
export async function noteServed(client: RedisClient, queue: ModelQueue, priority: number): Promise<void> {
  await client.eval(NOTE_SERVED, { keys: [lanesKey(queue)], arguments: [String(priority)] })
}
