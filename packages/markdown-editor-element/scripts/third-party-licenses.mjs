import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns the licenses of the packages in a bundle as one text. Anyone who distributes the bundle
 * must include this text.
 *
 * @param modules the paths of the modules in the bundle
 */
export async function thirdPartyLicenses(modules) {
  const folders = new Set(
    modules.flatMap(
      (path) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? [],
    ),
  )
  const texts = await Promise.all([...folders].sort().map(licenseOf))
  return texts.join(`\n\n${'-'.repeat(80)}\n\n`)
}

async function licenseOf(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${folder} contains no license file.`)
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}`
}
