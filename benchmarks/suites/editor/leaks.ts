import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../../../tests/support/launch-chromium.ts'
import type { Goal, Part } from '../../lib/report.ts'
import { taskOf, widgetOf } from './scene.ts'
import { openSite } from './site.ts'

interface Counters {
  readonly nodes: number
  readonly listeners: number
  readonly workers: number
  /** The size of the JavaScript heap in bytes. */
  readonly heap: number
}

const counted: readonly (readonly [key: 'nodes' | 'listeners' | 'workers', label: string])[] = [
  ['nodes', 'DOM nodes'],
  ['listeners', 'listeners'],
  ['workers', 'Workers'],
]

/**
 * Measures the nodes, listeners and Workers that remain after editors were added and removed.
 * Turbo, htmx and single-page applications add and remove editors in this way.
 */
export const leaks: Part = async ({ quick }) => {
  const editors = quick ? 100 : 1000
  const site = await openSite()
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const devTools = await page.context().newCDPSession(page)
    await page.goto(site.addPage(pageWithoutEditor))
    await page.waitForFunction(() => customElements.get('markdown-editor'))
    await addAndRemove(page, 20) // The first editors load the scripts that all editors share.
    const before = await countAtRest(page, devTools)
    await addAndRemove(page, editors)
    const after = await countAtRest(page, devTools)
    return {
      title: `What remains after ${editors} editors were removed`,
      notes: [
        'Editors are added to a form and removed, one after the other. Of ten, one shows its preview, one the split mode, and one uses',
        'CodeMirror. DevTools counts after a garbage collection. Before the first count, 20 editors are removed. The heap has no goal.',
      ],
      goals: counted.map(([key, label]) => toGoal(label, after[key] - before[key])),
      details: {
        columns: ['resource', 'before', 'after'],
        rows: [
          ...counted.map(([key, label]) => [label, String(before[key]), String(after[key])]),
          ['heap', kilobytes(before.heap), kilobytes(after.heap)],
        ],
      },
    }
  } finally {
    await browser.close()
    await site.close()
  }
}

const pageWithoutEditor = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>leaks</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/markdown-editor.css">
<script type="module" src="/assets/markdown-editor.js"></script>
</head>
<body><form method="post"></form></body>
</html>`

async function addAndRemove(page: Page, count: number): Promise<void> {
  const { text } = taskOf({ editor: 'ours', length: 2_000, place: 'end', mode: 'write' })
  const [plain, codeMirror] = [widgetOf(text, 'auto'), widgetOf(text, 'codemirror')]
  await page.evaluate(
    async ([plain, codeMirror, count]) => {
      const form = document.querySelector('form')
      const until = async (what: string, look: () => boolean): Promise<void> => {
        for (let tries = 0; !look(); tries++) {
          if (tries > 500) throw new Error(`There is no ${what}.`)
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      }
      const tab = (name: string): HTMLElement | undefined =>
        [...document.querySelectorAll<HTMLElement>('[role="tab"]')].find(
          ({ textContent }) => textContent === name,
        )
      const showsPreview = (): boolean =>
        document.querySelectorAll('.md-editor-preview > *').length > 2
      for (let index = 0; index < count; index++) {
        form?.insertAdjacentHTML('beforeend', index % 10 === 0 ? codeMirror : plain)
        await until('tab', () => tab('Preview') !== undefined)
        const textarea = document.querySelector('textarea')
        textarea?.focus()
        document.execCommand('insertText', false, 'x')
        if (index % 10 === 0)
          await until('CodeMirror', () => document.querySelector('.cm-content') !== null)
        const shown = ['Preview', 'Split'][(index % 10) - 1]
        if (shown !== undefined) {
          const selected = tab(shown)
          if (selected === undefined) throw new Error(`There is no tab ${shown}.`)
          selected.click()
          await until('preview', showsPreview)
        }
        document.querySelector('markdown-editor')?.remove()
      }
    },
    [plain, codeMirror, count] as const,
  )
}

// Waits until the counts no longer change, because Workers and timers take a while to end.
async function countAtRest(page: Page, devTools: CDPSession): Promise<Counters> {
  let counters = await count(page, devTools)
  for (let tries = 0; tries < 10; tries++) {
    await delay(1000)
    const next = await count(page, devTools)
    if (counted.every(([key]) => next[key] === counters[key])) return next
    counters = next
  }
  return counters
}

async function count(page: Page, devTools: CDPSession): Promise<Counters> {
  await devTools.send('HeapProfiler.collectGarbage')
  const { nodes, jsEventListeners } = await devTools.send('Memory.getDOMCounters')
  const { usedSize } = await devTools.send('Runtime.getHeapUsage')
  return { nodes, listeners: jsEventListeners, workers: page.workers().length, heap: usedSize }
}

function toGoal(what: string, left: number): Goal {
  return { what: `${what} left over`, goal: '0', measured: String(left), passed: left <= 0 }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`
}
