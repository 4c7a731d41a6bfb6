/** The report of a page about its documents. */
export interface Inspection {
  /** The problems, each with the index of its document, or -1 for the page. */
  readonly problems: readonly (readonly [document: number, problem: string])[]
  /** Functions of the page that were called although no script should run. */
  readonly calls: readonly string[]
}

/**
 * Runs as the first script in a page of documents. Each document is in a `<div class="document">`,
 * followed by a `<p class="sentinel">`. After loading, the function searches for effects of the
 * documents on the page, follows every link, fires every event handler, and reports the results.
 * The function uses no outer variable, because the server sends only its source to the page.
 *
 * @param isFragment - true to set the documents by `innerHTML`, false if the page contains them
 * @param report - the name of the global function that receives the inspection as JSON
 */
export function inspectPage(isFragment: boolean, report: string): void {
  const problems: [number, string][] = []
  const calls: string[] = []
  const setTimer = window.setTimeout.bind(window)
  const send = (window as unknown as Record<string, (json: string) => void>)[report]?.bind(window)
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'] as const) {
    Object.defineProperty(window, name, { value: () => calls.push(name) })
  }

  // Prevents navigation by harmless and invalid links. A javascript: URL still runs.
  document.addEventListener(
    'click',
    (event) => {
      const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
      if (
        link !== undefined &&
        /^(https?|mailto|tel)?:$/.test((link as HTMLAnchorElement).protocol)
      )
        event.preventDefault()
    },
    true,
  )
  window.addEventListener('load', () => void inspect())

  async function inspect(): Promise<void> {
    const sources = (await (await fetch(`${location.pathname}.json`)).json()) as string[]
    const containers = Array.from(document.querySelectorAll('div.document'))
    for (const [index, container] of isFragment ? containers.entries() : [])
      container.innerHTML = sources[index] ?? ''
    judgePage(sources.length)
    containers.forEach((container, index) => {
      judgeMarkup(index, container, sources[index] ?? '')
      for (const element of container.querySelectorAll('*')) judgeElement(index, element)
    })
    await settle()
    for (const element of document.querySelectorAll('main *')) disturb(element)
    await settle()
    judgePage(sources.length)
    send?.(JSON.stringify({ problems, calls } satisfies Inspection))
  }

  /** Waits until images have failed to load and started scripts have run. */
  async function settle(): Promise<void> {
    const pictures = Array.from(document.images).filter(
      (image) => image.loading !== 'lazy' && !image.complete,
    )
    const loads = pictures.map(
      (image) =>
        new Promise((resolve) => {
          for (const type of ['load', 'error']) image.addEventListener(type, resolve)
        }),
    )
    await Promise.race([Promise.all(loads), new Promise((resolve) => setTimer(resolve, 3000))])
    await new Promise((resolve) => setTimer(resolve, 50))
  }

  function judgePage(count: number): void {
    const { head, body, documentElement: root } = document
    if (namesOf(root) !== 'HEAD BODY' || root.attributes.length > 0)
      problems.push([-1, 'the root is another one'])
    if (namesOf(head) !== 'TITLE SCRIPT') problems.push([-1, `the head holds ${namesOf(head)}`])
    if (namesOf(body) !== 'MAIN' || body.attributes.length > 0)
      problems.push([-1, `the body holds ${namesOf(body)}`])
    const children = Array.from(document.querySelector('main')?.children ?? [])
    if (children.length !== 2 * count)
      problems.push([-1, `${children.length} parts, not ${2 * count}`])
    children.forEach((child, place) => {
      const isSentinel = child.outerHTML === `<p class="sentinel">${(place - 1) / 2}</p>`
      const isContainer = child.matches('div.document') && child.attributes.length === 1
      if (place % 2 === 0 ? !isContainer : !isSentinel)
        problems.push([Math.floor(place / 2), 'left its container'])
    })
    if (document.forms.length > 0) problems.push([-1, 'there is a form'])
  }

  function judgeMarkup(index: number, container: Element, source: string): void {
    const inert = document.implementation.createHTMLDocument().createElement('div')
    inert.innerHTML = source
    const written = inert.innerHTML
    if (container.innerHTML !== written) problems.push([index, 'other HTML than as a fragment'])
    inert.innerHTML = written
    const firstLineFeeds = /(<pre(?: [^\s=]+="[^"]*")*>)\n+/g // Each parse drops one line feed.
    if (inert.innerHTML.replace(firstLineFeeds, '$1') !== written.replace(firstLineFeeds, '$1')) {
      problems.push([index, 'other HTML when written out and read'])
    }
  }

  function judgeElement(index: number, element: Element): void {
    const name = element.localName
    if (!(element instanceof HTMLElement))
      problems.push([index, `element ${name} of another namespace`])
    if (element instanceof HTMLUnknownElement || name.includes('-'))
      problems.push([index, `element ${name}`])
    if (
      /^(script|style|link|meta|base|object|embed|template|form|button|select|textarea)$/.test(name)
    ) {
      problems.push([index, `element ${name}`])
    }
    for (const { name: attribute, value } of element.attributes) {
      if (/^(on|style$|srcdoc$|name$|form|srcset$|nonce$)/.test(attribute))
        problems.push([index, `attribute ${attribute}`])
      if (attribute === 'id' && !value.startsWith('user-content-'))
        problems.push([index, `id ${value}`])
    }
    if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) {
      if (!/^(https?:|mailto:|tel:|:)$/.test(element.protocol))
        problems.push([index, `a link to ${element.protocol}`])
    }
    if (element instanceof HTMLIFrameElement && !element.hasAttribute('sandbox'))
      problems.push([index, 'a free frame'])
    const { position } = getComputedStyle(element)
    // Elements inside of `<video>` and `<audio>` are not rendered, so their position is empty.
    if (!/^(static)?$/.test(position))
      problems.push([index, `an element with position ${position}`])
  }

  /** Triggers all events for which the attributes of an element have handlers. */
  function disturb(element: Element): void {
    if (/^(a|area|button|summary|input)$/.test(element.localName)) {
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
    }
    for (const { name } of Array.from(element.attributes)) {
      if (name.startsWith('on'))
        element.dispatchEvent(new Event(name.slice(2), { cancelable: true }))
    }
  }

  function namesOf(parent: Element): string {
    return Array.from(parent.children, ({ tagName }) => tagName).join(' ')
  }
}
