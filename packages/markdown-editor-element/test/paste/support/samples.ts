import { existsSync, readdirSync, readFileSync } from 'node:fs'

const CORPUS = new URL('../corpus/', import.meta.url)

/** The clipboard content of a program, and the expected markdown. */
export interface Sample {
  readonly name: string
  readonly html: string
  readonly plain: string
  readonly markdown: string
}

export function readSamples(): Sample[] {
  const read = (name: string): string => {
    const file = new URL(name, CORPUS)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return readdirSync(CORPUS)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length))
    .map((name) => ({
      name,
      html: read(`${name}.html`),
      plain: read(`${name}.txt`),
      markdown: read(`${name}.md`).replace(/\n$/, ''),
    }))
}
