import { MarkdownEditorElement } from '@quillgate/markdown-editor-element'

const people = {
  trigger: '@',
  search: async (query: string, signal: AbortSignal) => {
    const response = await fetch(`/people?q=${encodeURIComponent(query)}`, { signal })
    return response.json()
  },
  insert: ({ label }: { label: string }) => `@${label} `,
}
const editor = document.querySelector('markdown-editor')
if (editor instanceof MarkdownEditorElement) editor.completions = [people]
