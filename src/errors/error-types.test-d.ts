import { describe, expectTypeOf, it } from 'vitest'
import { type ErrorCode, InvalidRequestError, OverloadedError, TesseraError } from './index.ts'

const thrown: unknown = undefined

describe('an error that was narrowed', () => {
  it('by isInstance has one of the codes', () => {
    if (!TesseraError.isInstance(thrown)) return
    expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>()
    // @ts-expect-error there is no such code
    expectTypeOf(thrown.code === 'overlaoded').toBeBoolean()
  })

  it('by instanceof has one of the codes', () => {
    if (!(thrown instanceof TesseraError)) return
    expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>()
  })

  it('to a class has the code and the fields of that class', () => {
    if (InvalidRequestError.isInstance(thrown)) {
      expectTypeOf(thrown.code).toEqualTypeOf<'invalid_request'>()
      expectTypeOf(thrown.loc).toEqualTypeOf<readonly string[]>()
    }
    if (thrown instanceof OverloadedError) expectTypeOf(thrown.code).toEqualTypeOf<'overloaded'>()
  })

  it('to the base first may be asked for its class', () => {
    if (!TesseraError.isInstance(thrown)) return
    if (InvalidRequestError.isInstance(thrown)) expectTypeOf(thrown.path).toEqualTypeOf<string>()
    else if (OverloadedError.isInstance(thrown)) expectTypeOf(thrown.code).toEqualTypeOf<'overloaded'>()
    else expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>()
  })
})
