import type { EditorContext } from '../editor-context.ts'

/** Tells what a button is called while a finger is held on it: a finger cannot hover over a button to see its title. */
export function nameOnTouch({ host, signal }: Pick<EditorContext, 'host' | 'signal'>): void {
  host.addEventListener(
    'pointerdown',
    ({ pointerType, target }) => {
      const button = (target as Element).closest<HTMLElement>('.md-editor-button')
      if (pointerType !== 'touch' || button === null) return
      const holding = new AbortController()
      const once = { signal: AbortSignal.any([holding.signal, signal]) }
      for (const type of ['pointerup', 'pointercancel']) window.addEventListener(type, () => holding.abort(), once)
      import('./held-button.ts').then(
        ({ nameHeld }) => nameHeld(host, button, holding.signal),
        () => {}, // The button works without.
      )
    },
    { signal },
  )
}
