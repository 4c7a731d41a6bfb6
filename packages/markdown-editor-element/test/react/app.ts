// The application that react.browser.test.ts opens.
import { createElement, StrictMode, Suspense, use, useEffect, useRef, useState } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { MarkdownEditor } from '../../src/react/index.ts'

const calls: string[] = []
const events: string[] = []
const late = Promise.withResolvers<void>()

const PEOPLE = [{ trigger: '@', search: () => [{ label: 'ada' }] }]

const app = {
  calls,
  events,
  hydrateLate: (): void => late.resolve(),
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
    onReady: ({ value }) => events.push(`ready ${value}`),
    onUploadStart: ({ detail }) => events.push(`start ${detail.file.name}`),
    onUploadSuccess: ({ detail }) => events.push(`success ${detail.type}`),
    onUploadError: ({ detail }) => events.push(`error ${detail.message}`),
    onUploadAbort: ({ detail }) => events.push(`abort ${detail.file.name}`),
  })
  const upper = createElement(MarkdownEditor, {
    id: 'upper',
    value: text.toUpperCase(),
    onChange: () => {},
  })
  const free = createElement(MarkdownEditor, {
    id: 'free',
    name: 'free',
    defaultValue: 'free text',
    surface: 'native',
    completions: PEOPLE,
  })
  return createElement('form', { id: 'form' }, shown ? controlled : null, upper, free)
}

function Late(): ReturnType<typeof createElement> {
  use(late.promise)
  return createElement(MarkdownEditor, { id: 'late', defaultValue: 'late', mode: 'split' })
}

const root = document.querySelector('#root') as HTMLElement
const tree = createElement(StrictMode, null, createElement(Form))
const onRecoverableError = (error: unknown): void => void calls.push(`mismatch: ${String(error)}`)
if (root.childElementCount > 0) hydrateRoot(root, tree, { onRecoverableError })
else createRoot(root).render(tree)

const lateRoot = document.querySelector('#late-root')
if (lateRoot !== null) {
  hydrateRoot(
    lateRoot,
    createElement(StrictMode, null, createElement(Suspense, null, createElement(Late))),
    {
      onRecoverableError,
    },
  )
}

export { Form }
