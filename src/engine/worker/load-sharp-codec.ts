import { InternalError } from '../../errors/index.ts'
import type { PictureCodec } from '../../images/picture/picture-codec.ts'
import { sparingMemory } from './spare-memory.ts'

type Import = () => Promise<{ readonly sharpCodec: PictureCodec }>

const importSharpCodec: Import = () => import('../../images/picture/sharp-codec.ts')

/**
 * Node's codec, loaded where pictures are first needed. It refuses pictures that there is no memory for.
 *
 * @throws InternalError where sharp does not load: it was installed for another platform or not at all, or Node may load no native code
 */
export async function loadSharpCodec(importCodec: Import = importSharpCodec): Promise<PictureCodec> {
  try {
    return sparingMemory((await importCodec()).sharpCodec)
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    // What sharp says has a paragraph of advice for each of its own reasons; the code of Node's error is inside.
    if (text.includes('ERR_DLOPEN_DISABLED')) throw explain(cause, 'Node was started without native addons', ALLOW)
    const [said] = /(?<=ERR_DLOPEN_FAILED: ).*/.exec(text) ?? text.split('\n', 1)
    throw explain(cause, said!, INSTALL)
  }
}

const ALLOW = 'Start it without --no-addons, and where it has --permission with --allow-addons'
const INSTALL = `Install it for this platform: npm install --include=optional --os=${process.platform} --cpu=${process.arch} sharp`

function explain(cause: unknown, reason: string, remedy: string): InternalError {
  return new InternalError(`pictures need sharp, which does not load here: ${reason}. ${remedy}`, { cause })
}
