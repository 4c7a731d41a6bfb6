import EasyMDE from 'easymde'
import { lineAndColumn, place, seen, start } from './bench-page.ts'

await start((task) => {
  const element = place().appendChild(document.createElement('textarea'))
  const editor = new EasyMDE({
    element,
    initialValue: task.text,
    minHeight: '400px',
    maxHeight: '400px',
    autoDownloadFontAwesome: false, // The font would be loaded from another host.
    // The dictionary would be loaded from another host. The browser checks the spelling instead.
    spellChecker: false,
    nativeSpellcheck: true,
    sideBySideFullscreen: false,
  })
  if (task.mode === 'split') EasyMDE.toggleSideBySide(editor)
  editor.codemirror.focus()
  editor.codemirror.setCursor(lineAndColumn(task))
  return { text: () => editor.value(), preview: () => seen('.editor-preview-side') }
})
