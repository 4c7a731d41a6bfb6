// The application of react.browser.test.ts.
import { createElement, StrictMode, useEffect, useRef, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { MarkdownEditorElement } from '../../src/client/index.ts'
import { MarkdownEditor } from '../../src/react/index.ts'

const calls: string[] = []

const PEOPLE = [{ trigger: '@', search: () => [{ label: 'ada' }] }]

/** What the test sees and does from outside. */
const app = {
  calls,
  setText: (_text: string): void => {},
  toggle: (): void => {},
  open: (_draft: string, _text: string): void => {},
  early: undefined as Promise<boolean> | undefined,
  element: (): MarkdownEditorElement | null => null,
}
Object.assign(globalThis, { app })

function Form(): ReturnType<typeof createElement> {
  const [text, setText] = useState('one two')
  const [shown, setShown] = useState(true)
  const [draft, setDraft] = useState<string>()
  const ref = useRef<MarkdownEditorElement>(null)
  app.setText = setText
  app.toggle = () => setShown((before) => !before)
  app.element = () => ref.current
  app.open = (name, content) => {
    setDraft(name)
    setText(content)
  }
  // The script is not there yet.
  useEffect(() => {
    app.early ??= ref.current?.finalize()
  }, [])
  const controlled = createElement(MarkdownEditor, {
    ref,
    id: 'controlled',
    name: 'controlled',
    value: text,
    toolbar: ['bold', 'separator', 'italic'],
    uploadUrl: '/md-editor/upload',
    className: 'mine',
    ...(draft === undefined ? {} : { draft }),
    onChange: (value: string) => {
      calls.push(value)
      setText(value)
    },
    onRequest: ({ detail }) => detail.headers.set('x-from', 'react'),
  })
  const upper = createElement(MarkdownEditor, { id: 'upper', value: text.toUpperCase(), onChange: () => {} })
  const free = createElement(MarkdownEditor, {
    id: 'free',
    name: 'free',
    defaultValue: 'free text',
    surface: 'native',
    completions: PEOPLE,
  })
  return createElement('form', { id: 'form' }, shown ? controlled : null, upper, free)
}

const root = document.querySelector('#root') as HTMLElement
const tree = createElement(StrictMode, null, createElement(Form))
const onRecoverableError = (error: unknown): void => void calls.push(`mismatch: ${String(error)}`)
if (root.childElementCount > 0) hydrateRoot(root, tree, { onRecoverableError })
else createRoot(root).render(tree)

export { Form }
