import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { InternalError } from '../errors/index.ts'
import { resolvePackage } from './resolve-package.ts'

it('a module of a package is found', () => {
  expect(existsSync(resolvePackage('onnxruntime-node/package.json'))).toBe(true)
})

it('a bundle whose code has no address is told what to do', () => {
  const bundled = () => resolvePackage('onnxruntime-node', () => undefined as unknown as string)
  expect(bundled).toThrow(InternalError)
  expect(bundled).toThrow('leave tessera-onnx out of the bundle (external)')
})
