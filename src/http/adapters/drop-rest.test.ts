import { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { boundRest } from './drop-rest.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Answers a request whose body is not there yet. */
function answer(socket: Socket): IncomingMessage {
  const message = new IncomingMessage(socket)
  const response = new ServerResponse(message)
  boundRest(message, response)
  response.emit('finish')
  return message
}

it('a connection is closed whose rest does not come within five seconds', () => {
  const socket = new Socket()
  answer(socket)
  vi.advanceTimersByTime(4900)
  expect(socket.destroyed).toBe(false)
  vi.advanceTimersByTime(200)
  expect(socket.destroyed).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('a connection that Node is to close stays open until the rest has come', async () => {
  const close = vi.spyOn(Socket.prototype, 'destroySoon')
  const socket = new Socket()
  const message = new IncomingMessage(socket)
  const response = new ServerResponse(message)
  // As Node does, whose listener is there before.
  response.on('finish', () => socket.destroySoon())
  boundRest(message, response)
  response.emit('finish')
  await vi.advanceTimersByTimeAsync(1000)
  expect([close.mock.calls.length, socket.writableEnded]).toEqual([0, true])
  message.complete = true
  await vi.advanceTimersByTimeAsync(100)
  expect([close.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  close.mockRestore()
})

it('a request that a framework injects, which has no connection, is left alone', () => {
  answer(new EventEmitter() as Socket)
  expect(vi.getTimerCount()).toBe(0)
})

it('a connection that stays open keeps nothing of rests that have come', () => {
  const socket = new Socket()
  const before = socket.listenerCount('close')
  for (let index = 0; index < 20; index++) {
    answer(socket).complete = true
    vi.advanceTimersByTime(100)
  }
  expect(socket.listenerCount('close')).toBe(before)
  expect(vi.getTimerCount()).toBe(0)
})
