import type { Extension } from '@codemirror/state'
import { ViewPlugin } from '@codemirror/view'

/**
 * Tells of a text that was changed between focus and blur, as a textarea does.
 *
 * @param blurred called at each blur, before that
 * @param changed called when the text is another one
 */
export function changeOnBlur(blurred: () => void, changed: () => void): Extension {
  return ViewPlugin.define(({ state }) => ({ before: state.doc }), {
    eventObservers: {
      focus(_event, view) {
        this.before = view.state.doc
      },
      blur(_event, view) {
        blurred()
        const { doc } = view.state
        if (doc.eq(this.before)) return
        this.before = doc
        changed()
      },
    },
  })
}
