/** Has a script know the milliseconds by the server's clock, which all processes share, as `now`. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`
