import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

/** Writes who wrote the packages that went into a bundle, and their licences, which ask for it. */
export function licenseNotices(file: string): Plugin {
  return {
    name: 'license-notices',
    setup(build) {
      build.initialOptions.metafile = true
      build.onEnd(async ({ metafile }) => {
        if (metafile === undefined) return
        const outputs = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
        const used = outputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [folderOf(path)] : []))
        const folders = [...new Set(used)].filter((folder) => folder !== undefined).toSorted()
        // tsup writes the bundle after this, so the first build has no folder yet.
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, (await Promise.all(folders.map(describePackage))).join('\n'))
      })
    },
  }
}

/** Where the package is that a bundled file is of; undefined for files of this one. */
function folderOf(path: string): string | undefined {
  return /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
}

async function describePackage(folder: string): Promise<string> {
  const { name, version, license, homepage } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Record<string, string>
  const own = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text = own === undefined ? '' : `\n${await readFile(join(folder, own), 'utf8')}`
  return `${name} ${version}, licence ${license}${homepage === undefined ? '' : `, ${homepage}`}\n${text}`
}
