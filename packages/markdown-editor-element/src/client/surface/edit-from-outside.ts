import type { Edit } from '../commands/edit.ts'
import type { Surface } from './surface.ts'

/**
 * Changes the text of a surface as one step of its history, which it is only while the surface has the focus: without a
 * wish of the user the focus is borrowed, and only from a button of the editor itself.
 *
 * @param takeFocus leaves the focus in the text
 * @returns false when the text takes no change
 */
export function editFromOutside(
  host: HTMLElement,
  surface: Surface,
  edit: Edit,
  takeFocus: boolean,
): boolean {
  const active = document.activeElement
  const borrow = !takeFocus && !surface.focused && host.contains(active)
  if (takeFocus || borrow) surface.focus({ preventScroll: borrow })
  const done = surface.edit(edit)
  if (borrow) (active as HTMLElement).focus({ preventScroll: true })
  return done
}
