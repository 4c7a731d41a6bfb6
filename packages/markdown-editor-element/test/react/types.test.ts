import { createElement, type JSX } from 'react'
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
  type SurfaceChoice,
  type UploadDetail,
  type UploadErrorDetail,
  type UploadSuccessDetail,
} from '../../src/react/index.ts'

type Attributes = JSX.IntrinsicElements['markdown-editor']

describe('the types for React', () => {
  it('include the element in TSX, with its attributes', () => {
    const attributes: Attributes = {
      class: 'md-editor',
      'upload-url': '/up',
      'max-upload-size': 10,
      surface: 'native',
    }
    expect(renderToString(createElement('markdown-editor', attributes))).toBe(
      '<markdown-editor class="md-editor" upload-url="/up" max-upload-size="10" surface="native"></markdown-editor>',
    )
    expectTypeOf<Attributes['surface']>().toEqualTypeOf<SurfaceChoice | undefined>()
    expectTypeOf<Attributes>().not.toHaveProperty('upload-link')
  })

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

  it('include the details of upload events, even in TSX', () => {
    const attributes: Attributes = {
      'onupload-success': ({ detail }) => expectTypeOf(detail).toEqualTypeOf<UploadSuccessDetail>(),
      onready: () => {},
      mode: 'split',
    }
    expect(Object.keys(attributes)).toHaveLength(3)
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
