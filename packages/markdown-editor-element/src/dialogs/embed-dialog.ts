import { type EmbedHost, knownEmbedHosts, toEmbedHosts } from '@quillgate/markdown/embeds'
import { insertBlock } from '../commands/blocks.ts'
import type { Edit, TextState } from '../commands/edit.ts'
import { inlineRange, lineRange } from '../commands/selection.ts'
import { createButton, createElement } from '../dom/elements.ts'
import { Field, openDialog } from '../editor/dialog.ts'
import type { EditorContext } from '../editor/editor-context.ts'
import { readSettings } from '../editor/read-settings.ts'
import { laterStrings } from '../i18n/later.ts'
import { type Embed, isEmbeddable, readEmbed, siteNames } from './embed-text.ts'
import { result } from './link-dialog.ts'

/** Asks for the address of a video or page that is shown in a frame. */
export function openEmbedDialog(context: EditorContext): void {
  const words = laterStrings(context.strings)
  const hosts = embedHosts(context.host)
  const selected = selectedAddress(context.surface.read(), hosts)
  const source = createElement('code', { dir: 'ltr' })
  const stage = createElement('div', { class: 'md-editor-stage', hidden: true })
  const id = `${context.textarea.id}-embed`
  const read = (): Embed | { problem: string } =>
    readEmbed(address.value, title.value.trim(), hosts, words)
  const update = (): void => {
    const embed = read()
    source.textContent = 'markdown' in embed ? embed.markdown : ''
    shown.hidden = source.textContent === ''
    offer(stage, 'frame' in embed ? embed : null, words)
  }
  const hint = words.embedHint(siteNames(hosts).join(', '))
  const address = new Field(
    `${id}-address`,
    words.embedAddress,
    selected,
    update,
    hint,
  ).forAddress()
  const title = new Field(`${id}-title`, words.embedTitle, '', update)
  const shown = result(words.willInsert, source)
  const dialog = openDialog(context, {
    name: 'embed',
    title: words.embedNew,
    content: [address.element, title.element, shown, stage],
    confirm: {
      label: words.insert,
      run: () => {
        const embed = read()
        if ('problem' in embed) return address.fail(embed.problem)
        dialog.close()
        context.edit(embedEdit(context.surface.read(), embed.markdown, selected), true)
      },
    },
  })
  update()
  address.input.select()
  address.input.focus()
}

/** Puts a player behind the block at the selection, or in place of a line that is its address. */
function embedEdit(state: TextState, markdown: string, address: string): Edit {
  const line = lineRange(state)
  const alone = address !== '' && state.text.slice(line.start, line.end) === address
  const edit = alone ? { ...line, insert: markdown } : insertBlock(state, [markdown])
  const caret = edit.start + edit.insert.length
  return { ...edit, selectionStart: caret, selectionEnd: caret }
}

/** Nothing is asked of another site before the button is pressed. */
function offer(
  stage: HTMLElement,
  embed: Embed | null,
  words: ReturnType<typeof laterStrings>,
): void {
  const src = embed?.frame['src'] ?? ''
  stage.hidden = embed === null
  if (stage.dataset['src'] === src) return
  stage.dataset['src'] = src
  stage.replaceChildren()
  if (embed === null) return
  const show = createButton(words.embedShow, 'md-editor-action', () => {
    stage.replaceChildren(createElement('iframe', { ...embed.frame, loading: 'eager' }))
  })
  stage.append(show, createElement('span', {}, words.embedConsent(new URL(src).host)))
}

function selectedAddress(state: TextState, hosts: readonly EmbedHost[]): string {
  const line = lineRange(state)
  const { start, end } = state.selectionStart < state.selectionEnd ? inlineRange(state) : line
  const selected = state.text.slice(start, end).trim()
  return isEmbeddable(selected, hosts) ? selected : ''
}

function embedHosts(host: HTMLElement): readonly EmbedHost[] {
  const names = readSettings(host).embedHosts
  if (names === undefined) return knownEmbedHosts
  try {
    return toEmbedHosts(names)
  } catch {
    return knownEmbedHosts // The preview reports the attribute.
  }
}
