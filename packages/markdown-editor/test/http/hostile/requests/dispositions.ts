import { type Bytes, form, type HostileCase, part, refused, withBody } from '../hostile-case.ts'

const accepted = { status: 201, bytes: 'hello' } as const
const DISPOSITION = 'content-disposition: form-data; name="file"; filename="a.txt"'
const PLAIN = 'content-type: text/plain'

type Row = readonly [name: string, headers: readonly Bytes[] | Bytes, expect: HostileCase['expect']]

const withHeaders = ([name, headers, expect]: Row): HostileCase =>
  withBody(`a part ${name}`, form(part(headers, 'hello')), expect)

const parameters: readonly Row[] = [
  ['without any header', [], refused.missing],
  ['without content-disposition', [PLAIN], refused.missing],
  ['with an empty content-disposition', ['content-disposition:', PLAIN], refused.missing],
  ['with a blank content-disposition', ['content-disposition:    ', PLAIN], refused.missing],
  [
    'with the disposition attachment',
    ['content-disposition: attachment; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with the disposition inline',
    ['content-disposition: inline; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with the disposition file of MIME',
    ['content-disposition: file; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'without a disposition type',
    ['content-disposition: name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with form-data in capitals',
    ['CONTENT-DISPOSITION: FORM-DATA; NAME="file"; FILENAME="a.txt"', PLAIN],
    accepted,
  ],
  [
    'with form-data and a suffix',
    ['content-disposition: form-datax; name="file"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'without a name',
    ['content-disposition: form-data; filename="a.txt"', PLAIN],
    refused.malformed,
  ],
  [
    'with an empty name',
    ['content-disposition: form-data; name=""; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with a name parameter without a value',
    ['content-disposition: form-data; name; filename="a.txt"', PLAIN],
    refused.malformed,
  ],
  [
    'without quotes around parameters',
    ['content-disposition: form-data; name=file; filename=a.txt', PLAIN],
    accepted,
  ],
  [
    'without spaces between parameters',
    ['content-disposition:form-data;name="file";filename="a.txt"', 'content-type:text/plain'],
    accepted,
  ],
  [
    'with tabs between parameters',
    ['content-disposition:\tform-data;\tname="file";\tfilename="a.txt"', PLAIN],
    accepted,
  ],
  [
    'with many spaces',
    [`content-disposition: ${' '.repeat(1000)}form-data;  name="file";  filename="a.txt"`, PLAIN],
    accepted,
  ],
  [
    'with the name after the file name',
    ['content-disposition: form-data; filename="a.txt"; name="file"', PLAIN],
    accepted,
  ],
  [
    'with other parameters',
    ['content-disposition: form-data; size=5; name="file"; x=y; filename="a.txt"; z', PLAIN],
    accepted,
  ],
  ['with a semicolon at the end', [`${DISPOSITION};`, PLAIN], accepted],
  [
    'with a thousand parameters',
    [`content-disposition: form-data${'; a=b'.repeat(1000)}; name="file"; filename="a.txt"`, PLAIN],
    accepted,
  ],
  [
    'with a semicolon in the file name',
    ['content-disposition: form-data; name="file"; filename="a;b.txt"', PLAIN],
    { status: 201, name: 'a;b.txt', key: 'a_b.txt' },
  ],
  [
    'with a parameter in the file name',
    ['content-disposition: form-data; name="file"; filename="a; name=other.txt"', PLAIN],
    { status: 201, name: 'a; name=other.txt', key: 'a_name_other.txt' },
  ],
  [
    'with an unclosed quote in the file name',
    ['content-disposition: form-data; name="file"; filename="a.txt', PLAIN],
    accepted,
  ],
  [
    'with an unclosed quote in the field name',
    ['content-disposition: form-data; name="file; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with single quotes',
    ["content-disposition: form-data; name='file'; filename='a.txt'", PLAIN],
    refused.missing,
  ],
  [
    'with two content-dispositions, the first for the field file',
    [DISPOSITION, 'content-disposition: form-data; name="other"', PLAIN],
    accepted,
  ],
  [
    'with two content-dispositions, the second for the field file',
    ['content-disposition: form-data; name="other"', DISPOSITION, PLAIN],
    refused.missing,
  ],
  [
    'with two names, the last for the field file',
    ['content-disposition: form-data; name="a"; name="file"; filename="a.txt"', PLAIN],
    accepted,
  ],
  [
    'with two names, the first for the field file',
    ['content-disposition: form-data; name="file"; name="a"; filename="a.txt"', PLAIN],
    refused.missing,
  ],
  [
    'with two file names, using the first',
    ['content-disposition: form-data; name="file"; filename="a.txt"; filename="b.txt"', PLAIN],
    { status: 201, name: 'a.txt' },
  ],
]

const starred: readonly Row[] = [
  ["UTF-8''a.txt", 'in UTF-8'],
  ["utf-8'en'%C3%BC.txt", 'with a language'],
  ["UTF-8''%zz.txt", 'with bad codes'],
  ["UTF-8''%C3%28.txt", 'with bad UTF-8'],
  ["UTF-8''%00.txt", 'with a NUL'],
  ["UTF-8''..%2F..%2Fetc%2Fpasswd", 'with a path'],
  ["nonsense''a.txt", 'in an unknown character set'],
  ["UTF-7''+ADw-.txt", 'in UTF-7'],
  ["ISO-8859-1''%fc.txt", 'in Latin 1'],
  ["'", 'that is one quote'],
  ['', 'that is empty'],
].map(
  ([value, description]): Row => [
    `with an ignored filename* ${description} (RFC 7578, 4.2)`,
    [`content-disposition: form-data; name="file"; filename="a.txt"; filename*=${value}`, PLAIN],
    { status: 201, name: 'a.txt' },
  ],
)

// RFC 7578, section 4.2, forbids `filename*`. Without `filename`, the server decodes and uses it.
const onlyStarred: readonly Row[] = [
  [
    'with only a filename*',
    ['content-disposition: form-data; name="file"; filename*=UTF-8\'\'%61.txt', PLAIN],
    { status: 201, name: 'a.txt' },
  ],
  [
    'with only a filename* that contains a path',
    ['content-disposition: form-data; name="file"; filename*=UTF-8\'\'..%2F..%2Fa.txt', PLAIN],
    { status: 201, name: 'a.txt' },
  ],
  [
    'with only a filename* that contains a bidirectional control',
    ['content-disposition: form-data; name="file"; filename*=UTF-8\'\'a%E2%80%AEb%00.txt', PLAIN],
    { status: 201, name: 'ab.txt' },
  ],
  [
    'with a continued file name (RFC 2231)',
    ['content-disposition: form-data; name="file"; filename*0="a"; filename*1=".txt"', PLAIN],
    { status: 201 },
  ],
  [
    'with only a name*',
    ['content-disposition: form-data; name*=UTF-8\'\'file; filename="a.txt"', PLAIN],
    accepted,
  ],
  [
    'with a name* for another field',
    ['content-disposition: form-data; name*=UTF-8\'\'other; filename="a.txt"', PLAIN],
    refused.missing,
  ],
]

const fileNames: readonly Row[] = [
  [
    'with an empty file name, as sent if no file is selected',
    ['content-disposition: form-data; name="file"; filename=""', PLAIN],
    refused.missing,
  ],
  ['without a file name', ['content-disposition: form-data; name="file"', PLAIN], refused.missing],
  [
    'without a file name but with a binary type',
    ['content-disposition: form-data; name="file"', 'content-type: application/octet-stream'],
    refused.missing,
  ],
  ...['.', '..', 'a.txt/', 'a.txt/.', 'a.txt/..', 'a\\\\', '../'.repeat(3000)].map(
    (path): Row => [
      `whose file name is a folder: ${path.slice(0, 12)}`,
      [`content-disposition: form-data; name="file"; filename="${path}"`, PLAIN],
      refused.missing,
    ],
  ),
  [
    'with a filename parameter without a value',
    ['content-disposition: form-data; name="file"; filename', PLAIN],
    refused.missing,
  ],
]

const fieldNames: readonly Row[] = [
  'FILE',
  'File',
  'file[]',
  'file[0]',
  'files',
  'file ',
  ' file',
  'file.',
  'file\\"',
  '%66ile',
  'fi%6ce',
  'ﬁle',
  'file%00',
  'fil\u0435',
  'file\u200b',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'csrf_token',
  'upload',
  '0',
  '-1',
  'null',
  'undefined',
  '../file',
  'a'.repeat(8000),
].map(
  (name): Row => [
    `named ${JSON.stringify(name.slice(0, 20))}`,
    [`content-disposition: form-data; name="${name}"; filename="a.txt"`, PLAIN],
    refused.missing,
  ],
)

export const dispositions: readonly HostileCase[] = [
  parameters,
  starred,
  onlyStarred,
  fileNames,
  fieldNames,
]
  .flat()
  .map(withHeaders)
