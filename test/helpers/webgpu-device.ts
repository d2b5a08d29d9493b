import { existsSync } from 'node:fs'
import { probeProvider } from '../../src/backends/provider-probe.ts'

/** Where Debian's chromium-common keeps a Vulkan device in software. */
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json'

/**
 * Why there is no WebGPU in this process, or undefined. Where no device is configured, a software one is taken: it must
 * be named before the Vulkan loader first runs.
 */
export async function explainMissingWebgpu(): Promise<string | undefined> {
  if (existsSync(SWIFTSHADER)) process.env['VK_ICD_FILENAMES'] ??= SWIFTSHADER
  const probe = await probeProvider('webgpu')
  return probe.available ? undefined : `no WebGPU device: ${probe.reason}`
}
