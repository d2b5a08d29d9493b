import { expect, it } from 'vitest'
import { Counter, Gauge, Histogram } from './exposition.ts'

it('writes counters by their labels', () => {
  const counter = new Counter('a_total', 'All of them.')
  counter.add({ route: '/x', status: '200' })
  counter.add({ route: '/x', status: '200' }, 2)
  counter.add({ route: '/x', status: '404' })
  expect(counter.lines()).toEqual([
    '# HELP a_total All of them.',
    '# TYPE a_total counter',
    'a_total{route="/x",status="200"} 3',
    'a_total{route="/x",status="404"} 1',
  ])
})

it('writes histograms as cumulative buckets', () => {
  const histogram = new Histogram('s', 'Time.', [0.1, 1])
  for (const value of [0.1, 0.5, 7]) histogram.observe({ route: '/' }, value)
  expect(histogram.lines().slice(2)).toEqual([
    's_bucket{route="/",le="0.1"} 1',
    's_bucket{route="/",le="1"} 2',
    's_bucket{route="/",le="+Inf"} 3',
    's_sum{route="/"} 7.6',
    's_count{route="/"} 3',
  ])
})

it('reads gauges when asked', () => {
  let value = 1
  const gauge = new Gauge('g', 'Now.', () => value)
  value = 2
  expect(gauge.lines().at(-1)).toBe('g 2')
})

it('lets no label break out of its quotes', () => {
  const counter = new Counter('a', 'b')
  counter.add({ x: 'a"} 5\nb' })
  expect(counter.lines().at(-1)).toBe('a{x="a_} 5_b"} 1')
})
