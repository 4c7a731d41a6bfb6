/** The view during typing: only the field, or the field and the preview. */
export type Mode = 'write' | 'split'

/** The task of a page. The page contains it as JSON in `<script id="task">`. */
export interface Task {
  readonly text: string
  /** The position of the caret, in UTF-16 units. */
  readonly caret: number
  readonly mode: Mode
  /** The kind of element in which the user types. Null for editors that have only one kind. */
  readonly surface: 'native' | 'codemirror' | null
}

/** The functions of a page that the benchmark calls when the editor is ready. */
export interface BenchPage {
  /** Returns the text as a form would submit it. */
  text(): string
  /** Returns the text of the live preview, or null if it is hidden. */
  preview(): string | null
}

declare global {
  var quillgateBench: BenchPage | string | undefined
}

/** Starts the editor of the page. If it throws an error, the benchmark fails. */
export async function start(open: (task: Task) => BenchPage | Promise<BenchPage>): Promise<void> {
  try {
    const task = JSON.parse(document.querySelector('#task')?.textContent ?? '') as Task
    globalThis.quillgateBench = await open(task)
  } catch (error) {
    globalThis.quillgateBench = String(error)
  }
}

/** Waits until a function returns a value, and returns this value. Throws after a minute. */
export async function found<Found>(
  what: string,
  look: () => Found | null | undefined | false,
): Promise<Found> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const value = look()
    if (value !== null && value !== undefined && value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`The page has no ${what}.`)
}

/** Returns the text of an element, or null if it is missing or at most 100 px wide or high. */
export function seen(selector: string): string | null {
  const element = document.querySelector<HTMLElement>(selector)
  return element !== null && element.offsetWidth > 100 && element.offsetHeight > 100
    ? element.textContent
    : null
}

/** Both start at 0. */
export function lineAndColumn({ text, caret }: Task): {
  readonly line: number
  readonly ch: number
} {
  const before = text.slice(0, caret).split('\n')
  return { line: before.length - 1, ch: before.at(-1)?.length ?? 0 }
}

export function focusAt(textarea: HTMLTextAreaElement, caret: number): void {
  textarea.focus()
  textarea.setSelectionRange(caret, caret)
}

/** Returns the container for another editor, with the same height as our editor. */
export function place(): HTMLElement {
  const element = document.querySelector<HTMLElement>('#place')
  if (element === null) throw new Error('The page has no element with the id place.')
  element.style.blockSize = '400px'
  return element
}
