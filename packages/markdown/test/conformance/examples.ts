import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tests } from 'commonmark-spec'

export interface Example {
  readonly number: number
  readonly section: string
  readonly markdown: string
  readonly html: string
}

/** All examples of CommonMark 0.31.2. Their source writes a tab as `→`. */
export const commonmark: readonly Example[] = tests.map((test) => ({
  ...test,
  markdown: test.markdown.replaceAll('→', '\t'),
  html: test.html.replaceAll('→', '\t'),
}))

export const gfm: readonly Example[] = readExamples('gfm-extensions.txt')

/** Our own examples for syntax in GitHub's documentation that the GFM specification omits. */
export const github: readonly Example[] = readExamples('github.txt')

// The file has the format of CommonMark's spec.txt. It contains headings, and examples between
// fences of 32 backticks.
function readExamples(name: string): Example[] {
  const text = readFileSync(join(import.meta.dirname, 'cases', name), 'utf8')
  const pattern = /^`{32} example\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$|^# (.*)$/gm
  const examples: Example[] = []
  let section = ''
  for (const [, markdown, html = '', heading] of text.matchAll(pattern)) {
    if (markdown === undefined) section = heading ?? ''
    else examples.push({ number: examples.length + 1, section, markdown, html })
  }
  return examples
}
