import { BaseRenderer, DefaultRenderer, defaultPolicy } from '@quillgate/markdown'
import type { MarkdownEditorWidgetOptions } from '@quillgate/markdown-editor'
import { describe, expect, it } from 'vitest'
import type { openEditor } from '../editor-fixture.ts'
import { useEditors } from '../use-editors.ts'

const { open } = useEditors()

describe('createMarkdownEditor', () => {
  describe('passes to the preview', () => {
    const attributesOf = async (
      ...args: Parameters<typeof openEditor>
    ): Promise<Record<string, string>> => {
      const { editor } = await open(...args)
      const attributes = editor
        .widget()
        .render('x', '')
        .matchAll(/ (embed-hosts|highlight-languages|render-options)="([^"]*)"/g)
      return Object.fromEntries(
        [...attributes].map(([, name, value = '']) => [name, value.replaceAll('&#34;', '"')]),
      )
    }

    it('the renderer options of the application', async () => {
      const policy = {
        ...defaultPolicy,
        elements: { ...defaultPolicy.elements, address: {} },
      }
      const options = { policy, alertTitles: { note: 'Hinweis' }, highlightLanguages: ['css'] }
      const renderer = new DefaultRenderer({ ...options, maxLength: Number.POSITIVE_INFINITY })
      const { 'render-options': json = '', ...others } = await attributesOf({}, { renderer })
      expect(others).toEqual({ 'highlight-languages': 'css' })
      const { policy: sent, ...rest } = JSON.parse(json)
      expect(
        new DefaultRenderer({ ...options, policy: sent }).render('<address>a</address>'),
      ).toContain('<address>')
      expect(rest).toEqual({ alertTitles: { note: 'Hinweis' }, maxLength: Number.MAX_SAFE_INTEGER })
    })

    it('no options of a custom renderer', async () => {
      class Own extends BaseRenderer {
        override render(): string {
          return ''
        }
      }
      expect(await attributesOf({}, { renderer: new Own() })).toEqual({})
    })
  })

  it('sets preview-differs if the preview cannot use the same renderer', async () => {
    const differs = async (
      renderer?: BaseRenderer,
      options: MarkdownEditorWidgetOptions = {},
    ): Promise<boolean> => {
      const { editor } = await open({}, renderer ? { renderer } : {})
      return editor.widget(options).render('x', '').includes(' preview-differs')
    }
    class Own extends BaseRenderer {
      override render(): string {
        return ''
      }
    }
    class Extended extends DefaultRenderer {
      override render(text: string): string {
        return `<div>${super.render(text)}</div>`
      }
    }
    expect(await differs(new Own())).toBe(true)
    expect(await differs(new Extended())).toBe(true)
    expect(await differs(new Own(), { previewWorker: '/own.js' })).toBe(false)
    expect(await differs()).toBe(false)
    expect(await differs(new DefaultRenderer({ embedHosts: [] }))).toBe(false)
  })

  it('makes the preview show source text if the renderer has no parser', async () => {
    const { editor, logged } = await open(
      {},
      { renderer: new DefaultRenderer({ markdownIt: null }) },
    )
    const html = editor.widget().render('x', '')
    expect(html).toContain(' render-options="{&#34;markdownIt&#34;:null}"')
    expect(html).not.toContain('preview-differs')
    expect(logged).toEqual([]) // The application itself disabled markdown-it.
  })
})
