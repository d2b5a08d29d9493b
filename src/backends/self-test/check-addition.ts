import type { CreateDeviceSession, CreateSession, Tensor } from '../backend.ts'
import { buildAddModel } from '../probe-models.ts'
import { float } from './operator-case.ts'

const NUMBERS = float([4], [1, 2, 3, 4])

/**
 * Adds vectors on the provider, and to a sum that stayed on the device where it can. Throws when no session can be made or
 * a sum is wrong.
 */
export async function checkAddition(createSession: CreateSession, createKeeping?: CreateDeviceSession): Promise<void> {
  const session = await createSession(buildAddModel())
  try {
    expectSum((await session.run({ a: NUMBERS, b: float([4], [10, 20, 30, 40]) }))['y'], '11,22,33,44', 'sum')
    if (createKeeping === undefined) return
    const keeping = await createKeeping(buildAddModel())
    try {
      const kept = await keeping.run({ a: NUMBERS, b: NUMBERS })
      const { y } = await session.run({ a: kept['y']!, b: NUMBERS })
      await keeping.free(kept)
      expectSum(y, '3,6,9,12', 'sum with one that stayed on it')
    } finally {
      await keeping.dispose()
    }
  } finally {
    await session.dispose()
  }
}

function expectSum(sum: Tensor | undefined, wanted: string, what: string): void {
  if (String(sum?.data) !== wanted) throw new Error(`the provider computed a wrong ${what}`)
}
