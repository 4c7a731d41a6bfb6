import { DefaultRenderer } from '@quillgate/markdown'

interface Post {
  readonly text: string
  html: string
  version: string
}
const renderer = new DefaultRenderer()

export function htmlOf(post: Post): string {
  if (post.version !== renderer.version) {
    post.html = renderer.render(post.text)
    post.version = renderer.version
  }
  return post.html
}
