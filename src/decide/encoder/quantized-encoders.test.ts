import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { quantizeWeights } from '../../models/quantize/quantize-weights.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { openDecider } from '../index.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

it.each(['opendecider-nano', 'nli-bert', 'nli-modernbert', 'bert-tree', 'laya', 'julia'])(
  '%s answers in 8 bits',
  async (name) => {
    const backend = await cpuBackend()
    const folder = fixtureFolder(name)
    const out = join(work, 'out')
    await quantizeWeights({ folder, out, bits: 8, blockSize: 32 })
    const request = parseDecisionRequest({
      state: 'a card',
      questions: { q: { type: 'noul', instructions: 'Is it?' } },
    })
    const [exact, rounded] = await Promise.all(
      [folder, out].map(async (path) => {
        const decider = await openDecider({ backend, files: openFolder(path) })
        const [logits] = await decider.logits(request, { turn: async () => {} })
        await decider.dispose()
        return logits![0]!
      }),
    )
    expect(Math.abs(rounded![0]! - exact![0]!)).toBeLessThan(0.3)
  },
)
