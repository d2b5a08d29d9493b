import { expect, it } from 'vitest'
import { formatAccess } from './access-log.ts'

it('is a line of JSON, without what is not there', () => {
  const line = formatAccess(
    {
      requestId: 'req_1',
      method: 'POST',
      route: '/v1/systemone',
      account: 'a',
      model: 'decide-mini',
      queueMs: 0.0004,
      computeMs: 1.2,
      status: 200,
      milliseconds: 1.23456,
      units: 7,
    },
    new Date(0),
  )
  expect(line).toBe(
    '{"time":"1970-01-01T00:00:00.000Z","request_id":"req_1","method":"POST","route":"/v1/systemone","account":"a","model":"decide-mini","status":200,"milliseconds":1.235,"queue_ms":0,"compute_ms":1.2,"units":7}',
  )
})
