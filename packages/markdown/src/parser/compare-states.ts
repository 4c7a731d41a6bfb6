import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

/** The classes that a parser reads with. */
export interface StateClasses {
  readonly inline: typeof StateInline
  readonly block: typeof StateBlock
}

// Every rule of markdown-it makes something of it, with text before and behind.
const sample = `# a *b* _c_ **d** __e__ ~~f~~ \`g\` [h](/i "j") ![k *l*](/m) <n@o.example> <b>p</b> http://q.example \\* &amp;\x20\x20
r\\
s **t _u** v_ [w] ![x][w] *

> 1. y
>
>    \`\`\`z
>    a
>    \`\`\`
>
> - b

    c

| d | e |
|:-:|---|
| *f* |

<div>
g
</div>

***

h
===

[w]: /i 'j'`

/**
 * Says whether a parser does the same with other classes: states are made and take tokens, a text is read, and all that
 * comes of it is compared. What the classes do shows in bundled code too, where their source is another one.
 *
 * @param parser - its own classes are put back
 */
export function doAlike(parser: MarkdownIt, some: StateClasses, others: StateClasses): boolean {
  const own: StateClasses = { inline: parser.inline.State, block: parser.block.State }
  const environment = {}
  try {
    const otherSteps = run(parser, others, environment)
    for (const step of run(parser, some, environment)) {
      if (!isAlike(step, otherSteps.next().value)) return false
    }
    return true
  } catch {
    return false // A field or a method is not there.
  } finally {
    parser.inline.State = own.inline
    parser.block.State = own.block
  }
}

// What there is after each step.
function* run(
  parser: MarkdownIt,
  classes: StateClasses,
  environment: Record<string, unknown>,
): Generator<unknown, void> {
  const block = new classes.block('a\n> b', parser, environment, [])
  const inline = new classes.inline('a b', parser, environment, [new block.Token('a', 'b', 0)])
  yield [block, inline]
  for (const pending of ['', 'a']) {
    for (const nesting of [1, 0, 1, -1, -1] as const) {
      inline.pending += pending
      yield [block.push('a', 'b', nesting), inline.push('a', 'b', nesting), block, inline]
    }
  }
  parser.inline.State = classes.inline
  parser.block.State = classes.block
  yield parser.parse(sample, {})
}

// Whether all own fields are alike, but for the class of the tokens.
function isAlike(some: unknown, other: unknown): boolean {
  if (Object.is(some, other)) return true
  if (!isObject(some) || !isObject(other)) return false
  const names = Object.keys(some)
  return (
    names.length === Object.keys(other).length &&
    some['length'] === other['length'] &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && (name === 'Token' || isAlike(some[name], other[name])),
    )
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
