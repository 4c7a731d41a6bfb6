import { readFileSync } from 'node:fs'

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\\': '\\',
}

/**
 * Reads a list of attack strings, one per line. Lines that begin with `// ` are comments. The
 * escapes `\n \r \t \f \v \0 \\ \xHH \uHHHH \u{H}` are decoded. Other backslashes stay unchanged.
 *
 * @param name - the name of a file in the folder `payloads`, without `.txt`
 */
export function readPayloads(name: string): string[] {
  return readFileSync(new URL(`payloads/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('// '))
    .map(decodeLine)
}

function decodeLine(line: string): string {
  return line.replace(
    /\\(?:([nrtfv0\\])|x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]{1,6})\})/g,
    (_, letter?: string, byte?: string, unit?: string, point?: string) =>
      letter === undefined
        ? String.fromCodePoint(Number.parseInt(byte ?? unit ?? point ?? '', 16))
        : (escapes[letter] ?? ''),
  )
}
