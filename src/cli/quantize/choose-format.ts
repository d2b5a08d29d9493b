import { InvalidRequestError } from '../../errors/index.ts'
import { quantizationConfigSchema, type QuantizeWeightsOptions } from '../../models/index.ts'
import { adviseFormat } from '../products/advise-format.ts'
import { probeProducts } from '../products/probe-products.ts'

/** As they stand behind their flags. */
export interface FormatArguments {
  readonly for?: string | undefined
  readonly bits?: string | undefined
  readonly block?: string | undefined
}

export interface ChosenFormat extends Pick<QuantizeWeightsOptions, 'bits' | 'blockSize'> {
  /** Where nobody named it. */
  readonly reason?: string
}

const PORTABLE = { bits: 8, blockSize: 128 } as const
const UNTIMED = 'onnxruntime-node does not load here, so nothing can be timed'

/**
 * The format that checkpoints are quantised to: what was asked for, else what is fast on this machine.
 *
 * @param probe times products. @defaultValue on the CPU
 * @throws InvalidRequestError naming the flag, AbortedError
 */
export async function chooseFormat(
  { for: where, bits, block }: FormatArguments,
  signal: AbortSignal,
  probe: typeof probeProducts = probeProducts,
): Promise<ChosenFormat> {
  const isNamed = bits !== undefined || block !== undefined
  if (where !== undefined && where !== 'this-machine' && where !== 'portable')
    throw new InvalidRequestError('--for', `expected this-machine or portable, got '${where}'`)
  if (where !== undefined && isNamed)
    throw new InvalidRequestError('--for', 'chooses the format itself; leave it out, or --bits and --block')
  if (isNamed) return readFormat(bits ?? '8', block ?? '128')
  if (where === 'portable') return PORTABLE
  const products = await probe({ signal })
  if (products !== undefined) {
    const { format, reason } = adviseFormat(products)
    return { bits: format.bits, blockSize: format.block_size, reason }
  }
  if (where === undefined) return { ...PORTABLE, reason: UNTIMED }
  throw new InvalidRequestError('--for', `${UNTIMED}; take portable`)
}

function readFormat(bits: string, block: string) {
  const parsed = quantizationConfigSchema.safeParse({
    quant_method: 'tessera',
    bits: Number(bits),
    block_size: block === 'row' ? block : Number(block),
  })
  if (parsed.success) return { bits: parsed.data.bits, blockSize: parsed.data.block_size }
  throw new InvalidRequestError(
    '--bits and --block',
    `expected 8 or 4 bits in blocks of 16, 32, 64, 128 or 256, or 8 bits with row, got ${bits} and ${block}`,
  )
}
