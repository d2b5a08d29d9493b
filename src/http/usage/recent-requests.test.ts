import { expect, it } from 'vitest'
import { type RecentRequest, RecentRequests } from './recent-requests.ts'

const request = (requestId: string): RecentRequest => ({
  requestId,
  time: 1,
  route: '/v1/systemone',
  status: 200,
  milliseconds: 5,
  units: 7,
})

it('lists the last 50 requests of an account, newest first, and of no other', () => {
  const recent = new RecentRequests()
  for (let index = 0; index < 60; index++) recent.add('__proto__', request(`a${index}`))
  recent.add('b', request('b0'))
  const ids = recent.list('__proto__').map(({ requestId }) => requestId)
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([50, 'a59', 'a10'])
  expect(recent.list('b')).toEqual([request('b0')])
  expect(recent.list('constructor')).toEqual([])
})

it('forgets the account that was quiet for longest when there are more than 1,000', () => {
  const recent = new RecentRequests()
  for (let index = 0; index < 1000; index++) recent.add(`a${index}`, request('x'))
  recent.add('a0', request('y'))
  recent.add('new', request('z'))
  expect(recent.list('a1')).toEqual([])
  expect(recent.list('a0')).toHaveLength(2)
  expect(recent.list('new')).toHaveLength(1)
})
