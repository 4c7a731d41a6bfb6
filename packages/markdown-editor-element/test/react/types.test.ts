import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { MarkdownEditorElementEventMap } from '../../src/element/index.ts'
import {
  type CompletionProvider,
  type EditorOptions,
  MarkdownEditor,
  type MarkdownEditorElement,
  type MarkdownEditorProps,
  type RequestDetail,
  type UploadDetail,
  type UploadErrorDetail,
  type UploadSuccessDetail,
} from '../../src/react/index.ts'

describe('the types for React', () => {
  it('accept exactly the values that properties need', () => {
    expectTypeOf<MarkdownEditorProps>().toExtend<EditorOptions>()
    expectTypeOf<MarkdownEditorProps['completions']>().toEqualTypeOf<
      readonly CompletionProvider[] | undefined
    >()
    const properties: MarkdownEditorProps = { renderOptions: { maxLength: 10 } }
    expect(renderToString(createElement(MarkdownEditor, properties))).toContain(
      '{&quot;maxLength&quot;:10}',
    )
    // @ts-expect-error -- `embedHosts` is a separate property
    const wrong: MarkdownEditorProps = { renderOptions: { embedHosts: [] } }
    expect(Object.keys(wrong)).toEqual(['renderOptions'])
  })

  it('include the details of upload events', () => {
    expectTypeOf<MarkdownEditorElementEventMap['upload-success']>().toEqualTypeOf<
      CustomEvent<UploadSuccessDetail>
    >()
    expectTypeOf<MarkdownEditorElementEventMap['upload-error']>().toEqualTypeOf<
      CustomEvent<UploadErrorDetail>
    >()
    expectTypeOf<MarkdownEditorProps['onUploadStart']>().toEqualTypeOf<
      ((event: CustomEvent<UploadDetail>) => void) | undefined
    >()
  })

  it('include the detail of the request event', () => {
    expectTypeOf<MarkdownEditorElementEventMap['request']>().toEqualTypeOf<
      CustomEvent<RequestDetail>
    >()
    const listen = (element: MarkdownEditorElement): void => {
      element.addEventListener('request', ({ detail }) => detail.headers.set('x-from', 'page'))
      element.addEventListener('keydown', ({ key }) => expectTypeOf(key).toBeString())
    }
    expect(listen).toBeTypeOf('function')
  })
})
