// TypeScript cannot find the types of these packages. The types are for another module format, are
// not exported, or refer to missing files.
declare module '@bytemd/plugin-gfm' {
  export default function gfm(): object
}

declare module '@toast-ui/editor' {
  type Position = readonly [line: number, column: number]
  export class Editor {
    constructor(options: {
      readonly el: HTMLElement
      readonly height: string
      readonly initialEditType: 'markdown'
      readonly previewStyle: 'tab' | 'vertical'
      readonly initialValue: string
      readonly usageStatistics: boolean
    })
    focus(): void
    setSelection(start: Position, end: Position): void
    getMarkdown(): string
  }
}

declare module 'bytemd' {
  export class Editor {
    constructor(options: {
      readonly target: HTMLElement
      readonly props: {
        readonly value: string
        readonly mode: 'split' | 'tab'
        readonly plugins: readonly object[]
      }
    })
    $on(name: 'change', listener: (event: CustomEvent<{ readonly value: string }>) => void): void
    $set(props: { readonly value: string }): void
  }
}
