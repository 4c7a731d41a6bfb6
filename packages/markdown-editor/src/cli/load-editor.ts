import type { InstanceKind } from '@quillgate/server/cli'
import type { Storage } from '@quillgate/storage'
import type { MarkdownEditor } from '../markdown-editor.ts'

/** The part of an editor that the commands use. */
export type CliEditor = Pick<
  MarkdownEditor,
  'sweep' | 'check' | 'copyTo' | 'references' | 'records' | 'gate'
>

/** Recognizes an editor among the exports of a configuration. */
export const EDITOR: InstanceKind<CliEditor> = {
  noun: 'markdown editor',
  factory: 'createMarkdownEditor',
  is(value): value is CliEditor {
    return hasMethods(value, ['sweep', 'check', 'copyTo', 'widget']) && 'references' in value
  },
}

/** Recognizes a storage among the exports of a configuration. */
export const STORAGE: InstanceKind<Storage> = {
  noun: 'storage',
  factory: 'localFiles or s3',
  is(value): value is Storage {
    return hasMethods(value, ['write', 'read', 'stat', 'copy', 'remove', 'list'])
  },
}

function hasMethods(value: unknown, names: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
}
