// Completes user names after `@`. A real application would fetch the users from its server.
const people = [
  { label: 'ada', detail: 'Ada Lovelace' },
  { label: 'grace', detail: 'Grace Hopper' },
]

const mentions = {
  trigger: '@',
  search(query) {
    const wanted = query.toLowerCase()
    return people.filter(({ label, detail }) => `${label} ${detail.toLowerCase()}`.includes(wanted))
  },
  insert: ({ label }) => `@${label} `,
}

await customElements.whenDefined('markdown-editor')
for (const editor of document.querySelectorAll('markdown-editor')) {
  editor.completions = [mentions]
}
