import { DefaultRenderer } from '@quillgate/markdown'

export const renderer = new DefaultRenderer({
  alertTitles: {
    note: 'Hinweis',
    tip: 'Tipp',
    important: 'Wichtig',
    warning: 'Warnung',
    caution: 'Vorsicht',
  },
})
export const page = (markdown: string) =>
  `<article class="md-content">${renderer.render(markdown)}</article>`
