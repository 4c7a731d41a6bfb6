import type { RenderedDocument } from '@quillgate/markdown'

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

export function tableOfContents({ headings }: RenderedDocument): string {
  const items = headings.map(({ level, id, text }) => {
    const label = escapeHtml(text) // the title of a heading is plain text
    return `<li class="level-${level}">${id === null ? label : `<a href="#${id}">${label}</a>`}</li>`
  })
  return `<nav><ol>${items.join('')}</ol></nav>`
}
