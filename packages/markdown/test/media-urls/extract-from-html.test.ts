import { describe, expect, it } from 'vitest'
import { extractMediaUrls } from '../../src/node/extract-media-urls.ts'

type Example = readonly [title: string, markdown: string, ...urls: string[]]

function examples(name: string, list: readonly Example[]): void {
  describe(name, () => {
    it.each(list)('%s', (_title, markdown, ...urls) => {
      expect([...extractMediaUrls(markdown)].sort()).toEqual([...urls].sort())
    })
  })
}

describe('extractMediaUrls in raw HTML', () => {
  examples('attributes', [
    [
      'of media',
      'x <img src=/1> <video src="/2" poster=\'/3\'> <audio src="/4">',
      '/1',
      '/2',
      '/3',
      '/4',
    ],
    [
      'of sources and frames',
      'x <source src="/1" srcset="/2"> <iframe src="/3">',
      '/1',
      '/2',
      '/3',
    ],
    ['of anchors, which embed nothing', 'x <a href="/1">'],
    [
      'of no other elements or attributes',
      'x <script src=/1> <embed src=/2> <input src=/3> <imgx src=/4> <img data-src=/5 xsrc=/6 href=/7>',
    ],
    ['in any case', 'x <IMG SRC="/1">', '/1'],
    ['the first of two', 'x <img src="/1" src="/2">', '/1'],
    ['entities as in HTML', 'x <img src="/a?b&amp;c&lt=d&#46;&copy">', '/a?b&c&lt=d.©'],
    ['with backslashes, which are not escapes', 'x <img src="/a\\_b">', '/a\\_b'],
    ['white space around', 'x <img src=" /a b ">', '/a b'],
    ['empty', 'x <img src> <img src=""> <img src=" "> <img srcset=" , ">'],
    ['in closing tags', 'x </img src="/1">'],
    [
      'a comma-separated set',
      'x <img srcset="/1 1x, /2?a,b 2x,/3, , /4 (a,b) 3x, /5">',
      '/1',
      '/2?a,b',
      '/3',
      '/4',
      '/5',
    ],
  ])

  examples('tags within text, as CommonMark reads them', [
    ['over several lines', 'x <img\nalt="a > b"\nsrc="/1"\n/>', '/1'],
    ['not without white space between attributes', 'x <img alt="a"src="/1">'],
    ['not without an end', 'x <img src="/1"'],
    ['not with a slash before an attribute', 'x <img/src="/1">'],
    ['not escaped or as entity', '\\<img src="/1"> &lt;img src="/2">'],
    ['in a link', '[<img src="/1">](/2)', '/1', '/2'],
    ['not in a link destination', '[a](<img src=/1>)', 'img src=/1'],
  ])

  examples('HTML blocks', [
    [
      'of block elements, up to a blank line',
      '<div>\n![a](/1) <img src="/2">\n\n![b](/3)',
      '/2',
      '/3',
    ],
    ['of a tag alone on its line', '<video\tcontrols>\n![a](/1)\n\n![b](/2)', '/2'],
    ['of a tag alone, not within a paragraph', 'x\n<video>\n![a](/1)', '/1'],
    ['pre, up to its end', '<pre>\n\n![a](/1) <img src="/2">\n</pre>\n![b](/3)', '/2', '/3'],
    ['comments, up to their end', '<!--\n\n<img src="/1"> -->\n![b](/2)', '/2'],
    ['comments within', '<div><!-- <img src="/1"> --><img src="/2"><!-- <img src="/3">', '/2'],
    [
      'the content of text elements',
      '<div><title><img src=/1></title><iframe src=/2><img src=/3></iframe><img src=/4>',
      '/2',
      '/4',
    ],
    [
      'scripts',
      '<script>\n"<img src=\'/1\'>"\n\n</script>\n\n<style><img src=/2></style> <img src=/3>',
      '/3',
    ],
    [
      'tags are those of CommonMark',
      '<div><img/src="/1"> <img alt=""src="/2"> <a<img src="/3">',
      '/3',
    ],
    ['unclosed tags', '<div>\n<img src="/1"\n\n![a](/2)', '/2'],
    ['unclosed quotes', '<div>\n<img src="/1>\n<img src=/2>\n\n![a](/3)', '/2', '/3'],
    [
      'text elements without an end',
      '<div><title><img src=/1><title></xmp><img src=/2>',
      '/1',
      '/2',
    ],
    [
      'in a quote, without its markers',
      '> <div\n> title="> ">\n> <img src="/1">\n<img src="/2">',
      '/1',
      '/2',
    ],
    [
      'instructions and declarations',
      '<? <img src=/1> ?> <img src=/2>\n<!X\n<img src=/3> <img src=/4>',
      '/2',
      '/4',
    ],
    [
      'unclosed instructions and declarations',
      '<div> <? <img src=/1>\n\n<div> <!x <![CDATA[ <img src=/2> <img src=/3>',
      '/3',
    ],
    ['Markdown between blocks', '<details>\n<summary>a</summary>\n\n![a](/1)\n\n</details>', '/1'],
  ])
})
