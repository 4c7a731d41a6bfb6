import { useData, withBase } from 'vitepress'
import { type Component, defineComponent, h, onMounted, ref } from 'vue'

/** An editor that needs no server. Its props are percent-encoded JSON. */
export const LiveEditor: Component = defineComponent({
  props: { text: { type: String, required: true }, options: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData()
    const isMounted = ref(false)
    const text: string = JSON.parse(decodeURIComponent(props.text))
    const attributes = attributesOf(JSON.parse(decodeURIComponent(props.options)))
    onMounted(async () => {
      isMounted.value = true
      await import(/* @vite-ignore */ withBase('/editor/markdown-editor.js'))
    })

    // The element builds its own DOM, so it is created only in the browser.
    return () => {
      const theme = isDark.value ? 'dark' : 'light'
      const field = () => h('textarea', { 'aria-label': 'Try it', value: text })
      const editor = () => h('markdown-editor', { ...attributes, theme }, [field()])
      return h('div', { class: 'live-editor vp-raw' }, isMounted.value ? [editor()] : [])
    }
  },
})

interface LiveOptions {
  readonly toolbar?: readonly string[]
  readonly draft?: { readonly key: string }
  readonly [name: string]: unknown
}

function attributesOf({ toolbar, draft, ...others }: LiveOptions): Record<string, unknown> {
  return {
    ...others,
    ...(toolbar && { toolbar: toolbar.join(' ').replaceAll('separator', '|') }),
    ...(draft && { draft: draft.key }),
  }
}
