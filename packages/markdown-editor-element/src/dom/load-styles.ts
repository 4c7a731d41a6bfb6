import { createElement } from './elements.ts'

/** Loads `<name>.css` once per document or shadow root, unless its marker property is set. */
export async function loadStyles(host: HTMLElement, name: string): Promise<void> {
  if (getComputedStyle(host).getPropertyValue(`--md-editor-has-${name}`) !== '') return
  const root = host.getRootNode()
  const target = root instanceof ShadowRoot ? root : document.head
  const href = new URL(`${name}.css`, import.meta.url).href
  const present = target.querySelector(`link[href="${CSS.escape(href)}"]`)
  const link = present ?? createElement('link', { rel: 'stylesheet', href })
  const { promise, resolve } = Promise.withResolvers<Event>()
  for (const type of ['load', 'error']) link.addEventListener(type, resolve, { once: true })
  if (present === null) target.append(link)
  const { type } = await promise
  if (type === 'error') link.remove() // The next call tries again.
}
