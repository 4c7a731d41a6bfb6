import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../../../tests/support/launch-chromium.ts'
import type { BenchPage, Task } from './pages/bench-page.ts'
import { addScene, type Scene } from './scene.ts'
import type { Site } from './site.ts'
import { categories, readTrace, type Trace } from './trace.ts'

export interface Sample extends Trace {
  /** CPU time of the page's main thread per keystroke, in ms. */
  readonly main: number
  /**
   * CPU time of all threads of the page's process per keystroke, in ms. Includes the Worker, the
   * compositor and the garbage collector.
   */
  readonly process: number
}

export interface Effort {
  /** The number of keystrokes whose CPU time is measured. */
  readonly keys: number
  /** The number of further keystrokes that are recorded in a trace. */
  readonly traced: number
}

const pace = 80 // The ms between two keystrokes of a fast typist.
const warmUp = 20
const words = 'quillgate types plain words into the text as anybody would do it '

/**
 * Opens a scene in a new browser and types.
 *
 * @throws Error if the editor does not start as expected, or if a keystroke does not reach the text
 * or its preview
 */
export async function takeSample(
  site: Site,
  scene: Scene,
  { keys, traced }: Effort,
): Promise<Sample> {
  const typist = await Typist.open(site, scene)
  try {
    await typist.type(warmUp)
    const before = await typist.cpu()
    await typist.type(keys)
    const after = await typist.cpu()
    const trace = await typist.trace(() => typist.type(traced))
    await typist.check()
    return {
      ...trace,
      main: (after.main - before.main) / keys,
      process: (after.process - before.process) / keys,
    }
  } catch (error) {
    throw new Error(`${JSON.stringify(scene)}: ${String(error)}`, { cause: error })
  } finally {
    await typist.close()
  }
}

/** Measures the cost of opening a scene, until it is ready for typing. */
export async function traceOpening(site: Site, scene: Scene): Promise<Trace> {
  const typist = await Typist.openBlank()
  try {
    return await typist.trace(() => typist.show(site, scene))
  } finally {
    await typist.close()
  }
}

class Typist {
  readonly #browser: Browser
  readonly #page: Page
  readonly #devTools: CDPSession
  readonly #faults: string[] = []
  #task: Task | null = null
  #typed = ''

  static async openBlank(): Promise<Typist> {
    const browser = await launchChromium()
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
    return new Typist(browser, page, devTools)
  }

  static async open(site: Site, scene: Scene): Promise<Typist> {
    const typist = await Typist.openBlank()
    try {
      await typist.show(site, scene)
      return typist
    } catch (error) {
      await typist.close()
      throw error
    }
  }

  private constructor(browser: Browser, page: Page, devTools: CDPSession) {
    this.#browser = browser
    this.#page = page
    this.#devTools = devTools
    page.on('pageerror', (error) => this.#faults.push(String(error)))
  }

  /** Opens a scene and waits until its editor is ready and idle. */
  async show(site: Site, scene: Scene): Promise<void> {
    const { url, task } = addScene(site, scene)
    this.#task = task
    await this.#page.goto(url)
    await this.#page.waitForFunction(() => globalThis.quillgateBench, null, { timeout: 120_000 })
    const failure = await this.#page.evaluate(() =>
      typeof globalThis.quillgateBench === 'string' ? globalThis.quillgateBench : null,
    )
    if (failure !== null) throw new Error(failure)
    await this.#still()
  }

  /** Types keys at the pace of the typist. Waits until the page is idle. */
  async type(keys: number): Promise<void> {
    let next = performance.now()
    for (let key = 0; key < keys; key++) {
      const letter = words.charAt(this.#typed.length % words.length)
      await this.#page.keyboard.press(letter === ' ' ? 'Space' : letter)
      this.#typed += letter
      next = Math.max(next + pace, performance.now())
      await delay(Math.max(0, next - performance.now()))
    }
    await this.#still()
  }

  /** Returns the CPU time so far, in ms. */
  async cpu(): Promise<{ readonly main: number; readonly process: number }> {
    const { metrics } = await this.#devTools.send('Performance.getMetrics')
    const msOf = (name: string): number =>
      (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN) * 1000
    return { main: msOf('ThreadTime'), process: msOf('ProcessTime') }
  }

  async trace(work: () => Promise<void>): Promise<Trace> {
    await this.#browser.startTracing(this.#page, { categories: [...categories] })
    await work()
    return readTrace(await this.#browser.stopTracing())
  }

  /**
   * Checks that the typed words are in the text at the caret and in the preview. Also checks that
   * no script has failed.
   */
  async check(): Promise<void> {
    if (this.#faults.length > 0) fail(this.#faults.join('\n'))
    const { text, caret, mode } = this.#task ?? fail('No scene was opened.')
    const expected = `${text.slice(0, caret)}${this.#typed}${text.slice(caret)}`
    const inPreview = mode === 'split' ? this.#typed.trimEnd() : null
    await this.#page
      .waitForFunction(
        ([whole, part]) => {
          const page = globalThis.quillgateBench as BenchPage
          const preview = page.preview()
          const isShown = part === null || preview === null || preview.includes(part)
          return isShown && page.text().trimEnd() === whole.trimEnd()
        },
        [expected, inPreview] as const,
        { timeout: 30_000 },
      )
      .catch((error) => fail('The typed words are not in the text or not in the preview.', error))
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }

  // Waits until the page is idle. Delayed work is part of the cost of a keystroke. The longest
  // delay of the editors is a second.
  async #still(): Promise<void> {
    await delay(1200)
    for (let last = Number.NEGATIVE_INFINITY, tries = 0; tries < 100; tries++) {
      const { main } = await this.cpu()
      if (main - last < 5) return
      last = main
      await delay(300)
    }
    throw new Error('The page does not become idle.')
  }
}

function fail(message: string, cause?: unknown): never {
  throw new Error(message, { cause })
}
