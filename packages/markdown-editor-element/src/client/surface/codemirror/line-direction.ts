import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view'

const AUTO = Decoration.line({ attributes: { dir: 'auto' } })

/** Gives each line the direction of its own letters, as a textarea with `dir="auto"` does. */
export const LINE_DIRECTION: Extension = [
  EditorView.perLineTextDirection.of(true),
  ViewPlugin.define(
    (view) => ({
      lines: shownLines(view),
      update({ view, docChanged, viewportChanged }) {
        if (docChanged || viewportChanged) this.lines = shownLines(view)
      },
    }),
    { decorations: ({ lines }) => lines },
  ),
]

function shownLines(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from } of view.viewportLineBlocks) builder.add(from, from, AUTO)
  return builder.finish()
}
