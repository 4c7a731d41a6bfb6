import { focusAt, found, start } from './bench-page.ts'

// A textarea with the editor's HTML and CSS, but without its script. In the split mode, it is half
// as wide.
await start(async ({ caret, mode }) => {
  const textarea = await found('textarea', () => document.querySelector('textarea'))
  if (mode === 'split') textarea.style.inlineSize = '50%'
  focusAt(textarea, caret)
  return { text: () => textarea.value, preview: () => null }
})
