import gfm from '@bytemd/plugin-gfm'
import { Editor } from 'bytemd'
import { found, lineAndColumn, place, seen, start } from './bench-page.ts'

interface CodeMirror5 {
  focus(): void
  setCursor(place: { readonly line: number; readonly ch: number }): void
  getValue(): string
}

await start(async (task) => {
  const target = place()
  const editor = new Editor({
    target,
    props: { value: task.text, mode: task.mode === 'split' ? 'split' : 'tab', plugins: [gfm()] },
  })
  target.querySelector<HTMLElement>('.bytemd')?.style.setProperty('height', '400px')
  editor.$on('change', ({ detail: { value } }) => editor.$set({ value }))
  const element = await found('CodeMirror', () => target.querySelector<HTMLElement>('.CodeMirror'))
  const { CodeMirror } = element as HTMLElement & { readonly CodeMirror: CodeMirror5 }
  await found('text', () => CodeMirror.getValue() === task.text)
  CodeMirror.focus()
  CodeMirror.setCursor(lineAndColumn(task))
  return { text: () => CodeMirror.getValue(), preview: () => seen('.bytemd-preview') }
})
