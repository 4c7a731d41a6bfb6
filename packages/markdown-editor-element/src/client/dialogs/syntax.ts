import type { AllStrings } from '../strings/strings.ts'

/** What the renderer understands: a name, and markdown that makes it. A test renders each. */
export function syntaxRows(
  words: AllStrings,
): readonly (readonly [name: string, source: string])[] {
  const { buttons, sampleText: text, sampleAddress: address } = words
  return [
    [buttons.bold, `**${text}**`],
    [buttons.italic, `_${text}_`],
    [buttons.strikethrough, `~~${text}~~`],
    [buttons.highlight, `==${text}==`],
    [buttons.superscript, `^${text}^`],
    [buttons.subscript, `~${text}~`],
    [buttons.code, `\`${text}\``],
    [buttons.link, `[${text}](${address})`],
    [buttons.image, `![${text}](${words.samplePicture})`],
    [words.helpHeading, `# ${text}`],
    [buttons.quote, `> ${text}`],
    [words.helpAlert, `> [!NOTE]\n> ${words.sampleNote}`],
    [buttons['unordered-list'], `- ${text}\n  - ${text}`],
    [buttons['ordered-list'], `1. ${text}\n2. ${text}`],
    [buttons['task-list'], `- [ ] ${text}\n- [x] ${text}`],
    [buttons['code-block'], `\`\`\`js\nlet a = 1\n\`\`\``],
    [buttons.table, `| ${text} | ${text} |\n| --- | ---: |\n| ${text} | 1 |`],
    [buttons.details, `<details>\n<summary>${text}</summary>\n\n${text}\n\n</details>`],
    [buttons['horizontal-rule'], '---'],
    [words.helpFootnote, `${text}[^1]\n\n[^1]: ${text}`],
    [words.helpPlayer, 'https://youtu.be/dQw4w9WgXcQ'],
    [words.helpEscape, '\\*'],
  ]
}
