import { describe, expect, it } from 'vitest'
import { readOptions } from '../options/index.ts'
import { WORKER } from './queue-options.ts'

describe('options of a worker', () => {
  it.each([
    [{ jobs: [] }, 'jobs: must have one at least of decide, images; leave it out for all that its models do'],
    [{ jobs: 'images' }, "jobs: must be an array of decide, images, got 'images'"],
    [{ models: [] }, 'models: must have one name at least; leave it out for all models of the engine'],
    [{ models: 'decide-latest' }, "models: must be an array of names of models, got 'decide-latest'"],
  ])('refuses %j', (options, message) => {
    expect(() => readOptions(WORKER, { connection: 'redis://localhost', ...options })).toThrow(message)
  })
})
