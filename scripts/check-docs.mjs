// Checks that every exported symbol has a doc comment and a row in the API reference. Checks that
// the target of every link exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiReference } from '../apps/docs/.vitepress/api-reference.ts'
import { exportedNames } from './exported-names.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const problems = []

const files = (folder, pattern) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(^|[\\/])(node_modules|dist|data)[\\/]/.test(relative(root, file)))

const declaration =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|interface|type)\s+([A-Za-z_$][\w$]*)/

let symbols = 0
for (const name of readdirSync(join(root, 'packages'))) {
  for (const file of files(join(root, 'packages', name, 'src'), /\.tsx?$/)) {
    const lines = readFileSync(file, 'utf8').split('\n')
    const documented = new Set()
    lines.forEach((line, index) => {
      const symbol = declaration.exec(line)?.[1]
      if (!symbol) return
      symbols++
      let above = index - 1
      while (above >= 0 && /^\s*(\/\/|@)/.test(lines[above])) above--
      // All overloads of a function share the comment of the first overload.
      if (/\*\/\s*$/.test(lines[above] ?? '') || documented.has(symbol)) documented.add(symbol)
      else problems.push(`${relative(root, file)}:${index + 1}: ${symbol} has no doc comment`)
    })
  }
}
if (symbols < 50) problems.push(`only ${symbols} exported symbols seen: the check itself is broken`)

const rows = new Set(
  apiReference()
    .split(/^## @quillgate\//m)
    .flatMap((section) =>
      [...section.matchAll(/^\| `(.*?)` \|/gm)].map(
        ([, symbol]) => `${section.split('\n', 1)[0]}: ${symbol}`,
      ),
    ),
)
const { values, types } = exportedNames()
if (values.size === 0) problems.push('no exported values seen: the check itself is broken')
for (const name of [...values, ...types])
  if (!rows.has(name)) problems.push(`${name} is missing in the API reference`)

/** Returns a Markdown file without its code blocks. */
const readProse = (file) => readFileSync(file, 'utf8').replace(/^(`{3,})[\s\S]*?^\1$/gm, '')

const anchorsOf = (file) => {
  const anchors = new Set()
  for (const [, title] of readProse(file).matchAll(/^#{1,6} (.*)$/gm)) {
    const plain = title.replace(/\]\([^)]*\)/g, '').toLowerCase()
    anchors.add(plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'))
  }
  return anchors
}

/**
 * npm shows these files without the repository, so their links must be paths from the root of the
 * repository.
 */
const isPackageReadme = (file) => /^packages[\\/][^\\/]+[\\/]README\.md$/.test(relative(root, file))

let links = 0
for (const file of files(root, /\.md$/)) {
  const text = readProse(file)
  const targets = [
    ...text.matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#(?:user-content-)?([^)\s]*))?\)/g),
    ...text.matchAll(/^<<< (\S+)$/gm),
  ]
  for (const [, path, anchor] of targets) {
    links++
    const [base, name] = path.startsWith('/') ? [root, path] : [dirname(file), path]
    const target = path === '' ? file : join(base, name)
    const isGone =
      !existsSync(target) ||
      (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor))
    if (isPackageReadme(file) && !path.startsWith('/'))
      problems.push(`${relative(root, file)}: write ${path} as a path from the root, for npm`)
    if (isGone) problems.push(`${relative(root, file)}: dead link ${path}#${anchor ?? ''}`)
  }
}

for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? `docs: ${symbols} exported symbols documented, ${links} links alive`
    : `docs: ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
