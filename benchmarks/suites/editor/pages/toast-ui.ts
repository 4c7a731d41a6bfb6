import { Editor } from '@toast-ui/editor'
import { lineAndColumn, place, seen, start } from './bench-page.ts'

await start((task) => {
  const editor = new Editor({
    el: place(),
    height: '400px',
    initialEditType: 'markdown',
    previewStyle: task.mode === 'split' ? 'vertical' : 'tab',
    initialValue: task.text,
    usageStatistics: false, // The statistics would be sent to another host.
  })
  const { line, ch } = lineAndColumn(task)
  editor.focus()
  editor.setSelection([line + 1, ch + 1], [line + 1, ch + 1])
  return { text: () => editor.getMarkdown(), preview: () => seen('.toastui-editor-md-preview') }
})
