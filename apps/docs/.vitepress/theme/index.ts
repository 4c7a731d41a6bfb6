import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { LiveEditor } from './live-editor.ts'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LiveEditor', LiveEditor)
  },
} satisfies Theme
