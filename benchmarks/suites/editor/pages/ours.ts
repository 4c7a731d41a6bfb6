import { focusAt, found, seen, start } from './bench-page.ts'

const preview = '.md-editor-preview'

await start(async ({ text, caret, mode, surface }) => {
  const textarea = await found('textarea', () => document.querySelector('textarea'))
  textarea.setSelectionRange(caret, caret) // CodeMirror keeps this selection.
  const tab = await found(`tab of the ${mode} mode`, () =>
    [...document.querySelectorAll<HTMLElement>('[role="tab"]')].find(
      ({ textContent }) => textContent.toLowerCase() === mode,
    ),
  )
  if (mode === 'split') {
    tab.click()
    // The preview renders the first blocks, then the rest. Typing starts after the last block.
    const last = text.split('\n').at(-1) ?? ''
    await found('end of the text in the preview', () => seen(preview)?.includes(last))
  }
  const content = (): HTMLElement | null => document.querySelector<HTMLElement>('.cm-content')
  if (surface === 'codemirror') (await found('CodeMirror', content)).focus()
  else focusAt(textarea, caret)
  const active = document.activeElement
  if (active !== (surface === 'codemirror' ? content() : textarea))
    throw new Error(`The surface is not ${surface}.`)
  if (tab.ariaSelected !== 'true') throw new Error(`The mode is not ${mode}.`)
  return { text: () => textarea.value, preview: () => (mode === 'split' ? seen(preview) : null) }
})
