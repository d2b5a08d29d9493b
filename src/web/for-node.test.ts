import { expect, it } from 'vitest'
import * as node from '../index.ts'
import * as bundled from './for-node.ts'

it('has every name that apps import from the package, so that bundles are made', () => {
  expect(Object.keys(bundled).toSorted()).toEqual(Object.keys(node).toSorted())
})

it('says what to import in pages', () => {
  const reason =
    "decide of 'tessera-onnx' needs Node, and was bundled for browsers: in pages call createEngine of 'tessera-onnx/web'"
  expect(() => bundled.decide()).toThrow(reason)
})

it('checks requests and tells errors apart as in Node', () => {
  expect(() => bundled.parseDecisionRequest({})).toThrow(bundled.InvalidRequestError)
})
