import { BaseRenderer } from '@quillgate/markdown'

export class PlainText extends BaseRenderer {
  override render(markdown: string): string {
    return `<pre>${markdown.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)}</pre>`
  }
}
