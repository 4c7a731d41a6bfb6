import type { OpenPage } from './open-page.ts'

/** A file for a file chooser. */
export interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** A picture by its name only: nobody looks into it. */
export const PHOTO: ChosenFile = {
  name: 'photo.png',
  mimeType: 'image/png',
  buffer: Buffer.from('not looked at here'),
}

/** Chooses files by a button below the text, or by one of the toolbar and its dialog. */
export async function choose(
  { page, button }: OpenPage,
  name: string,
  files: readonly ChosenFile[],
): Promise<void> {
  const opened = page.waitForEvent('filechooser')
  await button(name).click()
  if (/^(?:Image|Video|Document)$/.test(name)) await button('Choose files').click()
  await (await opened).setFiles([...files])
}

/** A promise and what ends it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
