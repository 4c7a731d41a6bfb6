import {
  type Bytes,
  fieldPart,
  filePart,
  form,
  GOOD,
  type HostileCase,
  join,
  latin1,
  PATH,
  post,
  refused,
} from '../hostile-case.ts'
import { openSession } from '../hostile-server.ts'

const accepted = { status: 201, bytes: 'hello' } as const
const ada = openSession('ada')
const tokenPart = (token: Bytes): Buffer => fieldPart('csrf_token', token)

export const tokens: readonly HostileCase[] = (
  [
    ['the token first', form(tokenPart(ada.token), filePart()), {}, accepted],
    [
      'the token first, and a wrong one after the file',
      form(tokenPart(ada.token), filePart(), tokenPart('x')),
      {},
      accepted,
    ],
    ['the token in the header', GOOD, { 'x-csrf-token': ada.token }, accepted],
    [
      'the token in the header, and a wrong one first',
      form(tokenPart('x'), filePart()),
      { 'x-csrf-token': ada.token },
      accepted,
    ],
    ['no token', GOOD, {}, refused.csrf],
    ['the token after the file', form(filePart(), tokenPart(ada.token)), {}, refused.csrf],
    [
      'the token as the second field',
      form(fieldPart('a', '1'), tokenPart(ada.token), filePart()),
      {},
      refused.csrf,
    ],
    [
      'the token after an unnamed part',
      form('--x\r\n\r\n\r\n', tokenPart(ada.token), filePart()),
      {},
      accepted,
    ],
    [
      'two tokens, the first wrong',
      form(tokenPart('x'), tokenPart(ada.token), filePart()),
      {},
      refused.csrf,
    ],
    ['an empty token', form(tokenPart(''), filePart()), {}, refused.csrf],
    [
      'a token with a leading space',
      form(tokenPart(` ${ada.token}`), filePart()),
      {},
      refused.csrf,
    ],
    [
      'a token with a line break',
      form(tokenPart(`${ada.token}\r\n`), filePart()),
      {},
      refused.csrf,
    ],
    [
      'a token without its last character',
      form(tokenPart(ada.token.slice(0, -1)), filePart()),
      {},
      refused.csrf,
    ],
    [
      'a token in upper case',
      form(tokenPart(ada.token.toUpperCase()), filePart()),
      {},
      refused.csrf,
    ],
    ['a token with a NUL', form(tokenPart(`${ada.token}\0`), filePart()), {}, refused.csrf],
    [
      'a token of 8-bit characters',
      form(tokenPart(latin1('\xff'.repeat(40))), filePart()),
      {},
      refused.csrf,
    ],
    ['a token of 60 kB', form(tokenPart('x'.repeat(60_000)), filePart()), {}, refused.csrf],
    [
      'a token of 70 kB',
      form(tokenPart('x'.repeat(70_000)), filePart()),
      {},
      refused.fieldTooLarge,
    ],
    [
      'a token of another session',
      form(tokenPart(openSession('ada').token), filePart()),
      {},
      refused.csrf,
    ],
    [
      'a token of another user',
      form(tokenPart(openSession('grace').token), filePart()),
      {},
      refused.csrf,
    ],
    [
      'the token as a file',
      form(
        join(
          '--x\r\ncontent-disposition: form-data; name="csrf_token"; filename="a"\r\n\r\n',
          ada.token,
          '\r\n',
        ),
        filePart(),
      ),
      {},
      refused.csrf,
    ],
    [
      'the token under another name',
      form(fieldPart('CSRF_TOKEN', ada.token), filePart()),
      {},
      refused.csrf,
    ],
    ['the token in the query', GOOD, {}, refused.csrf, `${PATH}?csrf_token=${ada.token}`],
    [
      'an empty token in the header',
      form(tokenPart(ada.token), filePart()),
      { 'x-csrf-token': '' },
      refused.csrf,
    ],
    [
      'a wrong token in the header and the right one first',
      form(tokenPart(ada.token), filePart()),
      { 'x-csrf-token': 'x' },
      refused.csrf,
    ],
    [
      'the token, from another origin',
      form(tokenPart(ada.token), filePart()),
      { origin: 'https://evil.example' },
      refused.csrf,
    ],
    [
      'the token, from the origin null',
      form(tokenPart(ada.token), filePart()),
      { origin: 'null' },
      refused.csrf,
    ],
    [
      'the token, from another site',
      form(tokenPart(ada.token), filePart()),
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      refused.csrf,
    ],
    [
      'no token, and a body that is not a form',
      'hello',
      { 'content-type': 'text/plain' },
      refused.csrf,
    ],
    ['no token, and a malformed form', 'hello', {}, refused.malformed],
    [
      'no token, and an incomplete body of 100 MB',
      form(filePart()).subarray(0, 60),
      { 'content-length': '100000000' },
      'closed',
    ],
  ] as const
).map(([name, body, headers, expect, path]): HostileCase => {
  const sent = { authorization: null, cookie: ada.cookie, origin: 'http://example.com', ...headers }
  const request: HostileCase = {
    name: `a browser with ${name}`,
    request: [post(body, sent, path)],
    expect,
  }
  return expect === 'closed' ? { ...request, afterSending: 'half-close' } : request
})
