import type { CreateSession } from '../backend.ts'
import { buildAddModel } from '../probe-models.ts'
import { float } from './operator-case.ts'

/** Adds two vectors on the provider. Throws when no session can be made or the sum is wrong. */
export async function checkAddition(createSession: CreateSession): Promise<void> {
  const session = await createSession(buildAddModel())
  try {
    const { y } = await session.run({ a: float([4], [1, 2, 3, 4]), b: float([4], [10, 20, 30, 40]) })
    if (String(y?.data) !== '11,22,33,44') throw new Error('the provider computed a wrong sum')
  } finally {
    await session.dispose()
  }
}
