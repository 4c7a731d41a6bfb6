import { EditorView } from '@codemirror/view'
import type { Lines } from '../../editor/surface.ts'

/** The lines of a text in CodeMirror. The height of lines that were never visible is estimated. */
export class CodeMirrorLines implements Lines {
  readonly #view: EditorView

  constructor(view: EditorView) {
    this.#view = view
  }

  get topLine(): number {
    const { documentTop, scrollDOM, state } = this.#view
    const edge = scrollDOM.getBoundingClientRect().top - documentTop
    const { from, height, top } = this.#view.lineBlockAtHeight(edge)
    return state.doc.lineAt(from).number - 1 + between(0, (edge - top) / height, 1)
  }

  scrollToLine(line: number): void {
    const view = this.#view
    const { doc } = view.state
    const index = between(0, Math.floor(line), doc.lines - 1)
    const { from } = doc.line(index + 1)
    const { viewport } = view
    if (from < viewport.from || from > viewport.to) {
      view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 0 }) })
      view.coordsAtPos(from) // Makes CodeMirror measure, so that it scrolls immediately.
    }
    const { height, top } = view.lineBlockAt(from)
    const edge = top + between(0, line - index, 1) * height
    view.scrollDOM.scrollTop += view.documentTop + edge - view.scrollDOM.getBoundingClientRect().top
  }
}

function between(low: number, value: number, high: number): number {
  return Math.max(low, Math.min(value, high))
}
