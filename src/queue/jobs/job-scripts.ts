import { NOW } from '../server-time.ts'

/** In place of the process that has a job: it had it and left it, so that it did not end by it. */
export const LEFT = 'left'

/**
 * Adds a job that its process has from this moment, or finds the one that is there, of which somebody is told now. One that is `replaced`,
 * as it was found before, makes room. What an earlier one of its id has left is none of its own. A server whose memory is full
 * refuses what takes more of it only as the first thing that a script writes, so the job is that.
 */
export const ADD_JOB = `
local job, request, told, lease, open, account, parts, news, result = unpack(KEYS)
local id, sealed, sealedRequest, process, leaseMs, keptMs, toldMs, createdAt, replaced = unpack(ARGV)
local found = redis.call('GET', job)
if found and found ~= replaced then
  redis.call('DEL', told)
  redis.call('SET', told, '1', 'PX', toldMs)
  return found
end
redis.call('SET', job, sealed, 'PX', keptMs)
redis.call('DEL', told, parts, news, result)
redis.call('SET', request, sealedRequest, 'PX', keptMs)
redis.call('SET', lease, process, 'PX', leaseMs)
redis.call('SADD', open, id)
redis.call('ZADD', account, createdAt, id)
return false`

/**
 * Jobs of an account, bytes of their results, and, where it has as many as it may, the milliseconds until the first of these is removed. Ids of jobs that
 * are gone are forgotten. All else waits for thousands of jobs, so no more is asked of each than is needed: a result is there no longer than its job.
 */
export const MEASURE_JOBS = `
local job, result, mostJobs, mostBytes = unpack(ARGV)
local jobs, bytes, first = 0, 0, -1
local ids = redis.call('ZRANGE', KEYS[1], 0, -1)
for _, id in ipairs(ids) do
  local length = redis.call('STRLEN', result .. id)
  if length == 0 and redis.call('EXISTS', job .. id) == 0 then
    redis.call('ZREM', KEYS[1], id)
  else
    jobs = jobs + 1
    bytes = bytes + length
  end
end
if jobs < tonumber(mostJobs) and bytes < tonumber(mostBytes) then return {jobs, bytes, first} end
for _, id in ipairs(ids) do
  local left = redis.call('PTTL', result .. id)
  if left >= 0 and (first < 0 or left < first) then first = left end
end
return {jobs, bytes, first}`

/**
 * Has a script know whether the job of an id is not over, and still the one that began at a time: the key of one that failed begins another, of
 * which a process knows nothing that was cut off while it had the first.
 */
const IS_OPEN = `
local function isOpen(open, account, id, createdAt)
  if redis.call('SISMEMBER', open, id) == 0 then return false end
  local began = redis.call('ZSCORE', account, id)
  return not began or tonumber(began) == tonumber(createdAt)
end`

/** Replaces a job that is not over. */
export const WRITE_JOB = `${IS_OPEN}
local job, open, account, request = unpack(KEYS)
local id, sealed, keptMs, createdAt = unpack(ARGV)
if not isOpen(open, account, id, createdAt) then return 0 end
redis.call('PEXPIRE', request, keptMs)
return redis.call('SET', job, sealed, 'PX', keptMs, 'XX') and 1 or 0`

/**
 * Ends a job that is not over, and keeps its result and its webhook, where it has them, in the same moment. Keys from the fifth on: what there is
 * of the job beside itself until then.
 */
export const END_JOB = `${IS_OPEN}
local id, sealed, keptMs, createdAt, result, webhookId, webhook, webhookMs, webhooks = unpack(ARGV)
if not isOpen(KEYS[2], KEYS[3], id, createdAt) then return 0 end
redis.call('SREM', KEYS[2], id)
redis.call('DEL', unpack(KEYS, 5))
if not redis.call('SET', KEYS[1], sealed, 'PX', keptMs, 'XX') then return 0 end
if result ~= '' then redis.call('SET', KEYS[4], result, 'PX', keptMs) end
if webhookId then
  ${NOW}
  redis.call('SET', webhooks .. ':' .. webhookId, webhook, 'PX', webhookMs)
  redis.call('ZADD', webhooks, now, webhookId)
end
return 1`

/**
 * Takes a job that is not over and that nobody has, with its request, and says whether the one that had it left it. In one step: one of the same id may
 * have ended, been removed and begun again since it was looked for. A server whose memory is full, as of jobs that nobody has, lets it: what
 * takes memory is not the first that the script writes.
 */
export const TAKE_JOB = `
local job, open, lease, request = unpack(KEYS)
local id, process, leaseMs = unpack(ARGV)
if redis.call('SISMEMBER', open, id) == 0 then return false end
local found = redis.call('GET', job)
if not found then
  redis.call('SREM', open, id)
  return false
end
local had = redis.call('GET', lease)
if had and had ~= '${LEFT}' then return false end
redis.call('DEL', lease)
redis.call('SET', lease, process, 'PX', leaseMs)
return {found, redis.call('GET', request) or '', had and 1 or 0}`

/** Has a script know whether another process has a job: one of the same id, perhaps, that began later. */
const IS_OTHERS = `
local function isOthers(lease, process)
  local had = redis.call('GET', lease)
  return had and had ~= '${LEFT}' and had ~= process
end`

/**
 * Says that a process still has a job that is not over, which a batch may not be for weeks, unless another one has taken it meanwhile, which is told. Keys from the third on: what there is of it, whose time begins
 * anew when half of it has passed, so that most renewals write the lease alone, also on a server whose memory is full.
 */
export const RENEW_JOB = `${IS_OTHERS}
local id, process, leaseMs, keptMs = unpack(ARGV)
if redis.call('SISMEMBER', KEYS[2], id) == 0 then return 0 end
if isOthers(KEYS[1], process) then return 1 end
if redis.call('PEXPIRE', KEYS[1], leaseMs) == 0 or redis.call('GET', KEYS[1]) ~= process then
  redis.call('SET', KEYS[1], process, 'PX', leaseMs)
end
for at = 3, #KEYS do
  if redis.call('PTTL', KEYS[at]) < keptMs / 2 then redis.call('PEXPIRE', KEYS[at], keptMs) end
end
return 0`

/**
 * Ends that a process has a job, where it still has it; as one that left it, where a time is given that this is kept for, also on a
 * server whose memory is full.
 */
export const LEAVE_JOB = `
local process, keptMs = unpack(ARGV)
if redis.call('GET', KEYS[1]) ~= process then return end
redis.call('DEL', KEYS[1])
if keptMs then redis.call('SET', KEYS[1], '${LEFT}', 'PX', keptMs) end`

/**
 * Keeps a part of what a job that is not over has come to, after those that are there. Another process may have ended the job, and the next one of
 * its id would take the part for its own.
 */
export const KEEP_PART = `${IS_OTHERS}
local parts, open, lease = unpack(KEYS)
local id, process, sealed, keptMs = unpack(ARGV)
if redis.call('SISMEMBER', open, id) == 0 or isOthers(lease, process) then return end
redis.call('RPUSH', parts, sealed)
redis.call('PEXPIRE', parts, keptMs)`

/**
 * Forgets a job. Keys from the second on: what there is of it. No transaction, which the client keeps for as long as the server is away: by then
 * the id may be another job's.
 */
export const REMOVE_JOB = `
redis.call('DEL', unpack(KEYS, 2))
redis.call('SREM', KEYS[1], ARGV[1])`

/** Forgets a job that nobody was told of. */
export const WITHDRAW_JOB = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
redis.call('SREM', KEYS[6], ARGV[1])
return 1`

/**
 * Takes webhooks that are due: their next try is due again when the lease is over. Also of a server whose memory is full, as of results that nobody
 * fetches who was not told of them.
 */
export const TAKE_WEBHOOKS = `
local webhooks = KEYS[1]
local most, leaseMs = unpack(ARGV)
${NOW}
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', webhooks, '-inf', now, 'LIMIT', 0, most)) do
  local webhook = redis.call('GET', webhooks .. ':' .. id)
  if webhook then
    redis.call('ZREM', webhooks, id)
    redis.call('ZADD', webhooks, now + leaseMs, id)
    table.insert(taken, id)
    table.insert(taken, webhook)
  else
    redis.call('ZREM', webhooks, id)
  end
end
return taken`

/** Says when the next try of a webhook is due, where it was not forgotten meanwhile, also to a server whose memory is full. */
export const LEAVE_WEBHOOK = `
local webhooks, key = unpack(KEYS)
local id, webhook, keptMs, waitMs = unpack(ARGV)
if redis.call('PEXPIRE', key, keptMs) == 1 then
  ${NOW}
  redis.call('SET', key, webhook, 'PX', keptMs)
  redis.call('ZADD', webhooks, now + waitMs, id)
end`
