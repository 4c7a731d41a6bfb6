import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MarkdownEditorAdminMixin } from '../../packages/markdown-editor/src/admin/markdown-editor-admin-mixin.ts'
import { ModelAdmin } from '../../packages/markdown-editor/src/admin/model-admin.ts'
import { localFiles } from '../../packages/markdown-editor/src/index.ts'
import { BaseUploadHandler } from '../../packages/markdown-editor/src/media/upload/upload-handler.ts'
import { renderAssets } from '../../packages/markdown-editor/src/widget/assets.ts'
import type { Attributes } from '../../packages/markdown-editor/src/widget/attributes.ts'
import { MarkdownEditorWidget } from '../../packages/markdown-editor/src/widget/markdown-editor-widget.ts'
import {
  WIDGET_DEFAULTS,
  type WidgetDefaults,
} from '../../packages/markdown-editor/src/widget/widget-defaults.ts'
import { createEditor } from '../../packages/markdown-editor/test/create-editor.ts'
import {
  DEFAULT_TOOLBAR,
  formatToolbar,
  type ToolbarItem,
} from '../../packages/markdown-editor-element/src/contract/toolbar.ts'

interface WidgetCase {
  readonly id: string
  readonly parameters?: {
    readonly toolbar?: readonly string[]
    readonly finalize_url?: string
    readonly height?: string | number
    readonly attrs?: Attributes
  }
  readonly render?: {
    readonly name: string
    readonly value: unknown
    readonly attrs: Attributes | null
  }
  readonly settings?: Readonly<Record<string, unknown>>
  readonly input?: { readonly markdown_fields: 'absent' | readonly string[] }
  readonly expected: {
    readonly container?: Readonly<Record<string, string>>
    readonly toolbarConfig?: { readonly text?: string }
    readonly textarea?: {
      readonly attributesInOrder: readonly [string, string][]
      readonly content: string
    }
    readonly usesEditor?: Readonly<Record<string, boolean>>
    readonly present?: string
    readonly absent?: null
    readonly css?: number
    readonly path?: string
  }
}

const file = new URL('cases/editor-widget.json', import.meta.url)
const all = JSON.parse(readFileSync(file, 'utf8')) as WidgetCase[]
const cases = all.filter(({ id }) => !id.startsWith('tpl-')) // See editor-templates.test.ts.

// Cases that differ (see differences.md), or that do not test one rendered widget.
const special: Readonly<Record<string, (test: WidgetCase) => void>> = {
  'wid-toolbar-script': (test) =>
    expect(() => renderCase(test)).toThrow(/toolbar\[0\] must be one of bold/),
  'wid-toolbar-comment': (test) =>
    expect(() => renderCase(test)).toThrow(/toolbar\[0\] must be one of bold/),
  'wid-height-css': (test) => expect(() => renderCase(test)).toThrow(/height must be a CSS length/),
  'wid-height-int': (test) => expect(renderCase(test).element['height']).toBe('500px'),
  'wid-theme-other': (test) =>
    expect(() => renderCase(test)).toThrow(/theme must be "auto" or "light" or "dark"/),
  'wid-attrs-placeholder': (test) => expect(renderCase(test).textarea['placeholder']).toBe('mine'),
  'wid-attrs-true': (test) => expect(renderCase(test).textarea['required']).toBe(true),
  'wid-attrs-false': (test) => expect(renderCase(test).textarea).not.toHaveProperty('disabled'),
  'wid-attrs-none': (test) => expect(renderCase(test).textarea).not.toHaveProperty('maxlength'),
  'wid-form-required': () => {
    const attrs = { id: 'id_body', maxlength: 10, required: true }
    const { textarea } = parse(new MarkdownEditorWidget().render('body', '', attrs))
    expect(textarea).toMatchObject({ name: 'body', id: 'id_body', maxlength: '10', required: true })
  },
  'wid-extract': ({ expected }) => {
    const widget = new MarkdownEditorWidget()
    expect(widget.valueFrom(new URLSearchParams('body=x'), 'body')).toBe(expected.present)
    expect(widget.valueFrom(new URLSearchParams('body=x'), 'summary')).toBe(expected.absent)
  },
  'wid-media-two': ({ expected }) => {
    const tags = renderAssets(new MarkdownEditorWidget().assets, new MarkdownEditorWidget().assets)
    expect(tags.match(/<link /g)?.length).toBe(expected.css)
    expect(tags.match(/<script /g)?.length).toBe(1)
  },
  'wid-noscript': () => {
    expect(new MarkdownEditorWidget().render('body', 'x')).toMatch(
      /^<markdown-editor [^<]*><textarea [^<]*<\/textarea><\/markdown-editor>$/,
    )
  },
  'abs-baseuploadhandler': () => {
    const Handler: abstract new () => BaseUploadHandler = BaseUploadHandler
    // @ts-expect-error An abstract class cannot be instantiated.
    expect(() => new Handler().save()).toThrow(TypeError)
  },
  'url-upload': ({ expected }) => {
    const editor = createEditor({
      ...{ secret: 'x'.repeat(32), database: 'sqlite::memory:', authenticate: () => null },
      storage: localFiles('never-written'),
    })
    expect(editor.url('web_markdown_widget:upload')).toBe(expected.path)
    expect(editor.url('upload')).toBe(expected.path)
  },
}

describe('reference: widget and admin', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', (id, test) => {
    const check = special[id] ?? (test.input === undefined ? isSame : usesSameFields)
    check(test)
  })

  it('overrides only existing cases', () => {
    expect(cases.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(special)))
  })
})

/**
 * Compares our element with the container of the original. Data attributes of the original are
 * attributes here. The style corresponds to `height`, and the class corresponds to `theme`.
 */
function isSame(test: WidgetCase): void {
  const { element, textarea, content } = renderCase(test)
  const { container = {}, toolbarConfig, textarea: expected } = test.expected
  expect(element['upload-url']).toBe(container['data-upload-url'])
  expect(element['finalize-url']).toBe(container['data-finalize-url'])
  expect(`--md-height: ${element['height']};`).toBe(container['style'])
  expect(element['theme']).toBe(/--(dark|light)$/.exec(container['class'] ?? '')?.[1] ?? 'auto')
  const config = toolbarConfig?.text ?? ''
  const toolbar = config.startsWith('[') ? (JSON.parse(config) as ToolbarItem[]) : DEFAULT_TOOLBAR
  expect(element['toolbar']).toBe(formatToolbar(toolbar))

  const attributes: Record<string, unknown> = Object.fromEntries(expected?.attributesInOrder ?? [])
  attributes['id'] ||= `id_${attributes['name']}`
  // Our default for `rows` depends on the height.
  if (test.parameters?.attrs?.['rows'] === undefined) attributes['rows'] = textarea['rows']
  expect(textarea).toEqual(attributes)
  expect(content).toBe(expected?.content)
}

function usesSameFields({ input, expected }: WidgetCase): void {
  const names = input?.markdown_fields ?? 'absent'
  class Admin extends MarkdownEditorAdminMixin(ModelAdmin) {
    static override editor = { widgetDefaults: WIDGET_DEFAULTS }
  }
  if (names !== 'absent') Admin.markdownFields = names
  for (const [field, uses] of Object.entries(expected.usesEditor ?? {})) {
    const [, name = '', type] = /^(\w+) \((Text|Char)Field\)$/.exec(field) ?? []
    const widget = new Admin().formFieldFor({ name, type: type === 'Text' ? 'text' : 'string' })
    expect(widget instanceof MarkdownEditorWidget).toBe(uses)
  }
}

interface Rendered {
  readonly element: Readonly<Record<string, string | true>>
  readonly textarea: Readonly<Record<string, string | true>>
  readonly content: string
}

function renderCase({ parameters = {}, render, settings = {} }: WidgetCase): Rendered {
  const { TOOLBAR, DEFAULT_HEIGHT, PLACEHOLDER, THEME } = settings
  const given = { toolbar: TOOLBAR, height: DEFAULT_HEIGHT, placeholder: PLACEHOLDER, theme: THEME }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const defaults: WidgetDefaults = { ...WIDGET_DEFAULTS, ...known }
  const { toolbar, finalize_url: finalizeUrl, height, attrs } = parameters
  const options = {
    toolbar: (toolbar ?? null) as readonly ToolbarItem[] | null,
    finalizeUrl,
    height,
    attrs,
  }
  const present = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  )
  return parse(
    new MarkdownEditorWidget({ ...present, editor: { widgetDefaults: defaults } }).render(
      render?.name ?? '',
      render?.value,
      render?.attrs,
    ),
  )
}

function parse(html: string): Rendered {
  const match =
    /^<markdown-editor([^<>]*)><textarea([^<>]*)>\n([^<]*)<\/textarea><\/markdown-editor>$/.exec(
      html,
    )
  expect(match).not.toBe(null)
  const [, element = '', textarea = '', content = ''] = match ?? []
  return {
    element: parseAttributes(element),
    textarea: parseAttributes(textarea),
    content: decodeText(content),
  }
}

function parseAttributes(source: string): Record<string, string | true> {
  const pairs = Array.from(
    source.matchAll(/ ([^\s=]+)(?:="([^"]*)")?/g),
    ([, name = '', value]) => [name, value] as const,
  )
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length)
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, value === undefined ? true : decodeText(value)]),
  )
}

function decodeText(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
