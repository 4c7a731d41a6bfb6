import OverType from 'overtype'
import { focusAt, place, start } from './bench-page.ts'

// OverType has no split preview, because it styles the text itself.
await start(({ text, caret }) => {
  const [editor] = new OverType(place(), { value: text, toolbar: true, spellcheck: true })
  if (editor === undefined) throw new Error('OverType did not start.')
  focusAt(editor.textarea, caret)
  return { text: () => editor.getValue(), preview: () => null }
})
