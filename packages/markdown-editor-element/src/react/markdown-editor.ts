import {
  type ChangeEvent,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  type RefObject,
  type TextareaHTMLAttributes,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { type EditorOptions, isEditorOption, writeAttributes } from '../contract/attributes.ts'
import {
  type CompletionProvider,
  MarkdownEditorElement,
  type MarkdownEditorElementEventMap,
  type RequestDetail,
  type UploadDetail,
  type UploadErrorDetail,
  type UploadEvents,
  type UploadSuccessDetail,
} from '../element/index.ts'

// A server has no custom elements. In the browser, the attribute `defer` keeps the editor from
// starting before hydration.
const isBrowser = globalThis.customElements !== undefined
if (isBrowser) MarkdownEditorElement.define()

// On a server, React 18 warns about layout effects.
const useClientLayoutEffect = isBrowser ? useLayoutEffect : useEffect

type TextareaProperties = Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'children' | 'className' | 'defaultValue' | 'onChange' | 'value' | keyof EditorOptions
>

/** Properties of {@link MarkdownEditor}: editor options, and all attributes of `<textarea>`. */
export interface MarkdownEditorProps extends EditorOptions, TextareaProperties {
  /** The current text, if the application controls the field. Use it with `onChange`. */
  readonly value?: string
  /** The initial text, if the application does not control the field. */
  readonly defaultValue?: string
  /**
   * Called on each change. If CodeMirror shows a long text, called after a pause in typing, on
   * blur, and before the form is sent.
   */
  readonly onChange?: (text: string, event: ChangeEvent<HTMLTextAreaElement>) => void
  /** Called before each request. Can add headers, or call `preventDefault` to cancel. */
  readonly onRequest?: (event: CustomEvent<RequestDetail>) => void
  /** Called when the editor is built or restarted. */
  readonly onReady?: (element: MarkdownEditorElement) => void
  /**
   * Called when the upload of a file starts. At most three uploads run at once. Afterwards, one of
   * `onUploadSuccess`, `onUploadError` and `onUploadAbort` is called.
   */
  readonly onUploadStart?: (event: CustomEvent<UploadDetail>) => void
  /** Called when a file is stored. */
  readonly onUploadSuccess?: (event: CustomEvent<UploadSuccessDetail>) => void
  /** Called when a file was rejected, or could not be sent or inserted. The editor shows why. */
  readonly onUploadError?: (event: CustomEvent<UploadErrorDetail>) => void
  /** Called when an upload was stopped. */
  readonly onUploadAbort?: (event: CustomEvent<UploadDetail>) => void
  /** The providers of completions. Pass the same array in each render. */
  readonly completions?: readonly CompletionProvider[]
  /** Additional classes of the element. The class `md-editor` is always set. */
  readonly className?: string
}

/**
 * A markdown field. On a server it renders the textarea inside `<markdown-editor>`. In the browser
 * the editor starts when the field is mounted. The `ref` gets the element.
 *
 * @example
 * const [text, setText] = useState('')
 * <MarkdownEditor name="body" value={text} onChange={setText} uploadUrl="/md-editor/upload" />
 */
export const MarkdownEditor: ForwardRefExoticComponent<
  MarkdownEditorProps & RefAttributes<MarkdownEditorElement>
> = forwardRef(function MarkdownEditor({ onChange, className, completions, ...properties }, ref) {
  const element = useRef<MarkdownEditorElement | null>(null)
  const {
    onReady,
    onRequest,
    onUploadStart,
    onUploadSuccess,
    onUploadError,
    onUploadAbort,
    ...others
  } = properties
  const { value } = others
  const reported = useRef(value)
  const host = writeAttributes(others)
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !isEditorOption(name)))

  const listeners: EventListeners = {
    ready: (event) => onReady?.(event.currentTarget as MarkdownEditorElement),
    request: onRequest,
    'upload-start': onUploadStart,
    'upload-success': onUploadSuccess,
    'upload-error': onUploadError,
    'upload-abort': onUploadAbort,
  }
  useStart(element, listeners)
  useImperativeHandle(ref, () => element.current as MarkdownEditorElement, [])
  useEffect(() => {
    if (element.current !== null && completions !== undefined)
      element.current.completions = completions
  }, [completions])
  useEffect(() => {
    // Skips a text that the field itself reported, because the field may have a newer text.
    if (value === undefined || value === reported.current) return
    reported.current = value
    if (element.current !== null) element.current.value = value
  }, [value])

  const textarea = createElement('textarea', {
    ...rest,
    className: 'md-editor-textarea',
    onChange: (event: ChangeEvent<HTMLTextAreaElement>) => {
      reported.current = event.currentTarget.value
      onChange?.(event.currentTarget.value, event)
    },
  })
  const classes = className === undefined ? 'md-editor' : `md-editor ${className}`
  // `defer` keeps the editor from changing the server's HTML before hydration.
  return createElement(
    'markdown-editor',
    { ...host, class: classes, defer: '', ref: element },
    textarea,
  )
})

type Events = Pick<MarkdownEditorElementEventMap, 'ready' | 'request' | keyof UploadEvents>

type EventListeners = {
  readonly [Type in keyof Events]: ((event: Events[Type]) => void) | undefined
}

/** Replaces the listeners of the element after each render, and starts the editor. */
function useStart(
  element: RefObject<MarkdownEditorElement | null>,
  listeners: EventListeners,
): void {
  const attached = useRef<AbortController | null>(null)
  // A layout effect, so that the editor starts before the effects of the application call it.
  useClientLayoutEffect(() => {
    attached.current?.abort()
    attached.current = new AbortController()
    const { signal } = attached.current
    for (const [type, listener] of Object.entries(listeners))
      element.current?.addEventListener(type, listener as EventListener, { signal })
    element.current?.removeAttribute('defer')
  })
}
