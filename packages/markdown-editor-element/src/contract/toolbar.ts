const GROUPS = [
  ['bold', 'italic', 'strikethrough', 'highlight'],
  ['heading', 'quote', 'horizontal-rule'],
  ['code', 'code-block'],
  ['unordered-list', 'ordered-list', 'task-list'],
  ['link', 'image', 'video', 'document'],
  ['table', 'details', 'embed'],
  ['superscript', 'subscript'],
  ['undo', 'redo'],
] as const

/** The name of a toolbar button. */
export type ToolbarButton = (typeof GROUPS)[number][number]

/** All buttons of a toolbar, in the order of {@link DEFAULT_TOOLBAR}. */
export const TOOLBAR_BUTTONS: readonly ToolbarButton[] = GROUPS.flat()

/** The buttons that add or remove a format, and show whether the selection has it. */
export const TOGGLE_BUTTONS = [
  'bold',
  'italic',
  'strikethrough',
  'highlight',
  'heading',
  'quote',
  'code',
  'code-block',
  'unordered-list',
  'ordered-list',
  'task-list',
  'superscript',
  'subscript',
] as const satisfies readonly ToolbarButton[]

/** An item of a toolbar: a button, or a line between two groups. */
export type ToolbarItem = ToolbarButton | 'separator'

/** All items of a toolbar. */
export const TOOLBAR_ITEMS: readonly ToolbarItem[] = [...TOOLBAR_BUTTONS, 'separator']

/** The items of the default toolbar by groups. The editor shows the most used buttons first. */
export const DEFAULT_TOOLBAR: readonly ToolbarItem[] = GROUPS.flatMap((buttons, index) =>
  index === 0 ? buttons : ['separator' as const, ...buttons],
)

/** Returns whether a value is the name of a button or `'separator'`. */
export function isToolbarItem(name: unknown): name is ToolbarItem {
  return (TOOLBAR_ITEMS as readonly unknown[]).includes(name)
}

/** Returns the value of the attribute `toolbar`, such as `bold italic | link`. */
export function formatToolbar(items: readonly ToolbarItem[]): string {
  return items.map((item) => (item === 'separator' ? '|' : item)).join(' ')
}

/** Parses the attribute `toolbar`. Does not check the names. */
export function parseToolbar(attribute: string): string[] {
  const words: readonly string[] = attribute.match(/\S+/g) ?? []
  return words.map((name) => (name === '|' ? 'separator' : name))
}
