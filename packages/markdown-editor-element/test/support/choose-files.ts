import type { OpenPage } from './open-page.ts'
import { type Answer, type ReceivedFile, store, type TestServer } from './test-server.ts'

export interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export const PHOTO: ChosenFile = {
  name: 'photo.png',
  mimeType: 'image/png',
  buffer: Buffer.from('not looked at here'),
}

export async function chooseOnly(
  { page, button }: OpenPage,
  name: string,
  files: readonly ChosenFile[],
): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(name).click()])
  await chooser.setFiles([...files])
}

/** Inserts files with the button below the text, or with a toolbar button and its dialog. */
export async function choose(
  opened: OpenPage,
  name: string,
  files: readonly ChosenFile[],
): Promise<void> {
  if (!/^(?:Image|Video|Document)$/.test(name)) return chooseOnly(opened, name, files)
  await opened.press(name)
  await chooseOnly(opened, 'Choose files', files)
  await opened.page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
}

export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Delays the answers to all uploads. Returns a function that releases the answers. */
export function holdUploads(
  server: TestServer,
  answer: (file: ReceivedFile) => Answer = store,
): () => void {
  const { opened, open } = gate()
  server.onUpload = async (file) => {
    await opened
    return answer(file)
  }
  return open
}
