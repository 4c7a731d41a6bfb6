import { type ExposeParam, MdEditor } from 'md-editor-rt'
import { createElement, createRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { found, place, seen, start } from './bench-page.ts'

await start(async ({ text, caret, mode }) => {
  const ref = createRef<ExposeParam>()
  let value = text
  function Page() {
    const [modelValue, setValue] = useState(text)
    value = modelValue
    return createElement(MdEditor, {
      ref,
      modelValue,
      onChange: setValue,
      language: 'en-US',
      preview: mode === 'split',
      style: { height: '400px' },
      // Without these options, the editor would load the libraries from another host.
      noMermaid: true,
      noKatex: true,
      noEcharts: true,
      noHighlight: true,
      noPrettier: true,
      noImgZoomIn: true,
    })
  }
  createRoot(place()).render(createElement(Page))
  const view = await found('CodeMirror', () => ref.current?.getEditorView())
  view.focus()
  view.dispatch({ selection: { anchor: caret }, scrollIntoView: true })
  return { text: () => value, preview: () => seen('.md-editor-preview-wrapper') }
})
