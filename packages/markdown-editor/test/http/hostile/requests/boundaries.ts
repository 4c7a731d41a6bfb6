import {
  type Bytes,
  fieldPart,
  filePart,
  form,
  type HostileCase,
  join,
  part,
  post,
  refused,
  withBody,
} from '../hostile-case.ts'

const accepted = { status: 201, bytes: 'hello' } as const
const FILE = [
  'content-disposition: form-data; name="file"; filename="a.txt"',
  'content-type: text/plain',
]

const formWith = (boundary: string): Buffer =>
  join(part(FILE, 'hello', boundary), `--${boundary}--\r\n`)

const LONG = 'b'.repeat(70)

/** Spellings of the boundary in `content-type`. */
const spellings: readonly HostileCase[] = [
  ...[
    ['in quotes', '"x"', 'x'],
    ['of 70 characters, the maximum of RFC 2046', LONG, LONG],
    ['of digits', '0123', '0123'],
    ['of dashes', '----------', '----------'],
    [
      'in the style of browsers',
      '----WebKitFormBoundaryAbCdEf0123456789',
      '----WebKitFormBoundaryAbCdEf0123456789',
    ],
    ['of characters that need no quotes', "a'+_-.z", "a'+_-.z"],
    ['of characters that need quotes', '"a(b)+c_d,e-f.g/h:i=j?k"', 'a(b)+c_d,e-f.g/h:i=j?k'],
    ['with a space inside', '"a b"', 'a b'],
    ['with an escaped quote', '"a\\"b"', 'a"b'],
  ].map(([name, spelled, boundary = '']) =>
    withBody(
      `a boundary ${name}`,
      formWith(boundary),
      accepted,
      `multipart/form-data; boundary=${spelled}`,
    ),
  ),
  ...[
    ['without a space', 'multipart/form-data;boundary=x'],
    ['in capitals', 'MULTIPART/FORM-DATA; BOUNDARY=x'],
    ['with another parameter before', 'multipart/form-data; charset=utf-8; boundary=x'],
    ['with another parameter after', 'multipart/form-data; boundary=x; charset=utf-8'],
    ['with spaces around the semicolon', 'multipart/form-data ; boundary=x'],
    ['with a tab', 'multipart/form-data;\tboundary=x'],
    ['with an empty parameter', 'multipart/form-data;; boundary=x'],
    ['given twice with the same value', 'multipart/form-data; boundary=x; boundary=x'],
  ].map(([name, type]) => withBody(`a boundary ${name}`, formWith('x'), accepted, type)),
  ...[
    ['that is missing', 'multipart/form-data'],
    ['that is missing after a semicolon', 'multipart/form-data;'],
    ['that is empty', 'multipart/form-data; boundary='],
    ['that is an empty string in quotes', 'multipart/form-data; boundary=""'],
    ['without an equals sign', 'multipart/form-data; boundary'],
    ['under another name', 'multipart/form-data; border=x'],
    ['in upper case, unlike the delimiters', 'multipart/form-data; boundary=X'],
    ['that starts with the boundary of the body', 'multipart/form-data; boundary=xx'],
    ['with the dashes of the delimiter', 'multipart/form-data; boundary=--x'],
    ['that the body does not use', 'multipart/form-data; boundary=other'],
    ['with a percent-encoded NUL', 'multipart/form-data; boundary=x%00'],
    ['of 1,024 characters', `multipart/form-data; boundary=${'x'.repeat(1024)}`],
    ['in UTF-8', 'multipart/form-data; boundary=ü'],
  ].map(([name, type]) => withBody(`a boundary ${name}`, formWith('x'), refused.malformed, type)),
  ...[71, 100, 200, 1000, 8000].map((length) =>
    withBody(
      `a boundary of ${length} characters, more than the 70 of RFC 2046`,
      formWith('b'.repeat(length)),
      length > 252 ? refused.malformed : accepted, // Moderately long boundaries are harmless.
      `multipart/form-data; boundary=${'b'.repeat(length)}`,
    ),
  ),
]

const delimiters: readonly HostileCase[] = (
  [
    ['with a line break before the form', join('\r\n', form(filePart())), accepted],
    ['with a preamble', join('This is MIME.\r\n', form(filePart())), accepted],
    ['with a preamble of 100 kB', join('p'.repeat(100_000), '\r\n', form(filePart())), accepted],
    [
      'with a preamble that looks like a header',
      join('content-type: text/html\r\n\r\n', form(filePart())),
      accepted,
    ],
    ['with an epilogue', join(form(filePart()), 'epilogue'), accepted],
    ['with an epilogue of 100 kB', join(form(filePart()), 'e'.repeat(100_000)), accepted],
    ['with another form after the first', join(form(filePart()), form(filePart('two'))), accepted],
    ['with NULs after the form', join(form(filePart()), '\0'.repeat(1000)), accepted],
    ['without the last line break', form(filePart()).subarray(0, -2), accepted],
    ['without a closing delimiter', filePart(), refused.malformed],
    ['with one dash at the end', join(filePart(), '--x-\r\n'), refused.malformed],
    ['closed by another boundary', join(filePart(), '--y--\r\n'), refused.malformed],
    ['that is only a closing delimiter', '--x--\r\n', refused.missing],
    ['that is only a delimiter', '--x\r\n', refused.malformed],
    ['that is only two dashes', '--', refused.malformed],
    ['that is one line break', '\r\n', refused.malformed],
    ['that is closed twice', join(form(filePart()), '--x--\r\n--x--\r\n'), accepted],
    [
      'with line feeds only',
      form(filePart()).toString().replaceAll('\r\n', '\n'),
      refused.malformed,
    ],
    [
      'with carriage returns only',
      form(filePart()).toString().replaceAll('\r\n', '\r'),
      refused.malformed,
    ],
    [
      'with line feeds in the delimiters',
      form(filePart()).toString().replaceAll('\r\n--x', '\n--x'),
      refused.malformed,
    ],
    [
      'with one dash before the boundary',
      form(filePart()).toString().replaceAll('--x', '-x'),
      refused.malformed,
    ],
    [
      'with three dashes before the boundary',
      form(filePart()).toString().replaceAll('--x', '---x'),
      refused.malformed,
    ],
    [
      'with a space before the delimiters',
      form(filePart()).toString().replaceAll('--x', ' --x'),
      refused.malformed,
    ],
    ['of delimiters only', join('--x\r\n'.repeat(10), '--x--\r\n'), refused.missing],
    ['of a delimiter and a closing delimiter', '--x\r\n--x--\r\n', refused.missing],
    ['of an empty part', '--x\r\n\r\n\r\n--x--\r\n', refused.missing],
  ] as const
).map(([name, body, expect]) => withBody(`a body ${name}`, body, expect))

/** Content that resembles a delimiter must be stored unchanged. */
const lookalikes: readonly HostileCase[] = [
  ...[
    '--x',
    '--x--',
    '\r\n',
    '\r\n-',
    '\r\n--',
    '\r\n--y',
    '\r\n --x',
    '\n--x',
    '\r--x',
    '\r\r\n',
    '\r\n\r\n--',
    '\r\n-\r\n--',
    '-'.repeat(100),
    '\r\n'.repeat(100),
    '\r\n-'.repeat(100),
    '\r\n--'.repeat(100),
  ].map((content) =>
    withBody(
      `a file with ${JSON.stringify(content.slice(0, 20))} in it`,
      form(filePart(`a${content}b`)),
      {
        status: 201,
        bytes: `a${content}b`,
      },
    ),
  ),
  ...Array.from({ length: 13 }, (_, length) => {
    const content = `data\r\n--boundary-of-14`.slice(0, 4 + length)
    const body = join(part(FILE, content, 'boundary-of-14x'), '--boundary-of-14x--\r\n')
    const expect = { status: 201, bytes: content } as const
    return withBody(
      `a file that ends with ${length} characters of a delimiter`,
      body,
      expect,
      'multipart/form-data; boundary=boundary-of-14x',
    )
  }),
]

/** Delimiters near multiples of 16 KiB, a typical size of the chunks of a body. */
const edges: readonly HostileCase[] = [16_384, 32_768].flatMap((edge) =>
  [-8, -6, -5, -4, -3, -2, -1, 0, 1, 2].map((shift): HostileCase => {
    const head = filePart('').length - 2
    const content = 'a'.repeat(edge + shift - head)
    const expect = { status: 201, bytes: content } as const
    return withBody(
      `a delimiter at ${edge} ${shift < 0 ? '-' : '+'} ${Math.abs(shift)} bytes`,
      form(filePart(content)),
      expect,
    )
  }),
)

/** A valid form in two writes, split before, within or after each syntax element. */
const splits: readonly HostileCase[] = [
  '--x',
  '\r\n',
  'form-data',
  '"file"',
  '\r\n\r\n',
  'hello',
  '\r\n--x--',
  '--\r\n',
].flatMap((element) => {
  const whole = post(form(fieldPart('a', '1'), filePart()))
  return [0, 1, element.length].map((offset): HostileCase => {
    const at = whole.indexOf(element, whole.indexOf('\r\n\r\n') + 4) + offset
    const pieces: Bytes[] = [whole.subarray(0, at), whole.subarray(at)]
    return {
      name: `a form split ${offset} bytes into ${JSON.stringify(element)}`,
      request: pieces,
      expect: accepted,
    }
  })
})

export const boundaries: readonly HostileCase[] = [
  ...spellings,
  ...delimiters,
  ...lookalikes,
  ...edges,
  ...splits,
]
