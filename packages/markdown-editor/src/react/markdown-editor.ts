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
  useRef,
} from 'react'
import type { CompletionProvider, MarkdownEditorElement, RequestDetail } from '../client/index.ts'
import { type EditorOptions, splitProperties } from './host-attributes.ts'
import { untilDefined } from './until-defined.ts'

type TextareaProperties = Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'children' | 'className' | 'defaultValue' | 'onChange' | 'value' | keyof EditorOptions
>

/** Properties of {@link MarkdownEditor}: the editor's options, and all attributes of a `<textarea>`. */
export interface MarkdownEditorProps extends EditorOptions, TextareaProperties {
  /** The text, when the application keeps it (controlled); with `onChange`. */
  readonly value?: string
  /** The text at the start, when the field keeps it (uncontrolled). */
  readonly defaultValue?: string
  /**
   * Hears of each change. In a text so long that a surface of its own shows it, when the browser is idle, on blur and
   * before the form is sent.
   */
  readonly onChange?: (text: string, event: ChangeEvent<HTMLTextAreaElement>) => void
  /** Hears of each request before it is sent: add headers, or prevent the default to refuse it. */
  readonly onRequest?: (event: CustomEvent<RequestDetail>) => void
  /** What is completed while someone types: keep the list between renderings. */
  readonly completions?: readonly CompletionProvider[]
  /** More classes of the element; `md-editor` is always there. */
  readonly className?: string
}

/**
 * A markdown field. On a server it renders the textarea inside `<markdown-editor>`; in the browser the element's script is
 * loaded when the first field is mounted. Its `ref` is the element: until the script is there its methods wait for it, and
 * its `value` is undefined.
 *
 * @example
 * const [text, setText] = useState('')
 * <MarkdownEditor name="body" value={text} onChange={setText} uploadUrl="/md-editor/upload" />
 */
export const MarkdownEditor: ForwardRefExoticComponent<MarkdownEditorProps & RefAttributes<MarkdownEditorElement>> =
  forwardRef(function MarkdownEditor({ onChange, onRequest, className, completions, ...properties }, ref) {
    const element = useRef<MarkdownEditorElement | null>(null)
    const { value } = properties
    const reported = useRef(value)
    const { host, rest } = splitProperties(properties)

    useImperativeHandle(ref, () => untilDefined(element.current as MarkdownEditorElement), [])
    useEffect(define, [])
    useRequestListener(element, onRequest)
    useEffect(() => {
      // It may not be defined yet: it takes the property then.
      if (element.current !== null && completions !== undefined) element.current.completions = completions
    }, [completions])
    useEffect(() => {
      // A text that the field itself told of may be older than what has been written since.
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
    return createElement('markdown-editor', { ...host, class: classes, ref: element }, textarea)
  })

function define(): void {
  void import('../client/index.ts').then(({ MarkdownEditorElement: Element }) => Element.define())
}

function useRequestListener(
  element: RefObject<MarkdownEditorElement | null>,
  onRequest: ((event: CustomEvent<RequestDetail>) => void) | undefined,
): void {
  const latest = useRef(onRequest)
  useEffect(() => {
    latest.current = onRequest
  })
  useEffect(() => {
    const { current } = element
    const listen = (event: Event): void => latest.current?.(event as CustomEvent<RequestDetail>)
    current?.addEventListener('request', listen)
    return () => current?.removeEventListener('request', listen)
  }, [element])
}
