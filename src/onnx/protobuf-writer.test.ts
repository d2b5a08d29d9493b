import { expect, it } from 'vitest'
import { ProtobufWriter } from './protobuf-writer.ts'

const hex = (writer: ProtobufWriter) => Buffer.from(writer.finish()).toString('hex')

it('writes the examples of the protobuf encoding guide', () => {
  expect(hex(new ProtobufWriter().integer(1, 150))).toBe('089601')
  expect(hex(new ProtobufWriter().string(2, 'testing'))).toBe('120774657374696e67')
  expect(hex(new ProtobufWriter().message(3, new ProtobufWriter().integer(1, 150)))).toBe('1a03089601')
})

it('writes negative integers in ten bytes and integers beyond 2^53 exactly', () => {
  expect(hex(new ProtobufWriter().integer(1, -2))).toBe('08feffffffffffffffff01')
  expect(hex(new ProtobufWriter().integer(1, 2n ** 53n + 1n))).toBe('088180808080808010')
})

it('keeps the order of fields, floats and long contents', () => {
  const long = 'x'.repeat(1000)
  const writer = new ProtobufWriter().float(1, 1.5).string(2, long).integer(3, 1)
  const bytes = writer.finish()
  expect(writer.length).toBe(bytes.length)
  expect(Buffer.from(bytes.subarray(0, 5)).toString('hex')).toBe('0d0000c03f')
  expect(Buffer.from(bytes.subarray(5, 8)).toString('hex')).toBe('12e807')
  expect(Buffer.from(bytes.subarray(8, -2)).toString()).toBe(long)
})
