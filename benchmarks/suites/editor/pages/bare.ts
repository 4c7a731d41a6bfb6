import { focusAt, found, start } from './bench-page.ts'

// The HTML and CSS of our editor without its script: a bare textarea. Beside a preview it is half as wide.
await start(async ({ caret, mode }) => {
  const textarea = await found('textarea', () => document.querySelector('textarea'))
  if (mode === 'split') textarea.style.inlineSize = '50%'
  focusAt(textarea, caret)
  return { text: () => textarea.value, preview: () => null }
})
