import {
  createMarkdownEditor,
  type EditorUser,
  type MarkdownEditor,
  type MarkdownEditorOptions,
} from '@quillgate/markdown-editor'
import {
  createTestGate,
  type GateCalls,
  gateCalls,
  type TestGateOptions,
} from '../../server/test/support/test-gate.ts'

export type TestEditorOptions<User extends EditorUser = EditorUser> = TestGateOptions &
  MarkdownEditorOptions<User>

export type TestMarkdownEditor<User extends EditorUser = EditorUser> = MarkdownEditor<User> &
  GateCalls

/** Creates an editor as the only component of a new application object. */
export function createEditor<User extends EditorUser>(
  options: TestEditorOptions<User>,
): TestMarkdownEditor<User> {
  const { gate, own } = createTestGate<MarkdownEditorOptions<User>>(options)
  const editor = createMarkdownEditor<User>(gate, own as MarkdownEditorOptions<User>)
  return Object.assign(editor, gateCalls(gate))
}
