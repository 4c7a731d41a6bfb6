import { DefaultRenderer } from '@quillgate/markdown'

const renderer = new DefaultRenderer()

export const renderComments = (comments: readonly { id: number; text: string }[]) =>
  comments.map(({ id, text }) => renderer.render(text, { scope: `comment-${id}` })).join('')
