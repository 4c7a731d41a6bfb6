import { type InstanceKind, loadInstance } from '@quillgate/http/cli'
import type { MarkdownEditor } from '../markdown-editor.ts'

/** What the commands need of an editor. */
export type CliEditor = Pick<MarkdownEditor, 'sweep' | 'check' | 'references' | 'records' | 'close'>

const EDITOR: InstanceKind<CliEditor> = {
  noun: 'markdown editor',
  factory: 'createMarkdownEditor',
  is(value): value is CliEditor {
    if (typeof value !== 'object' || value === null) return false
    const { sweep, check, references, widget } = value as Record<string, unknown>
    return [sweep, check, widget].every((method) => typeof method === 'function') && typeof references === 'object'
  },
}

/** Finds the editor that the configuration exports; see `loadInstance`. */
export function loadEditor(path: string | null, folder: string): Promise<CliEditor> {
  return loadInstance(path, folder, EDITOR)
}
