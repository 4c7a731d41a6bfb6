/** One line of the table of goals. */
export interface Goal {
  readonly what: string
  readonly goal: string
  readonly measured: string
  readonly passed: boolean
}

export interface Details {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Section {
  readonly title: string
  /** How the values were measured, and how to read them. */
  readonly notes: readonly string[]
  readonly goals: readonly Goal[]
  readonly details?: Details
}

/** Measures one part of a suite. If `quick` is true, measures for a shorter time. */
export type Part = (options: { readonly quick: boolean }) => Promise<Section>

/**
 * The parts of a suite in their order. Each `suites/<name>/index.ts` exports its parts as `parts`.
 */
export type Parts = Readonly<Record<string, Part>>

export function toText({ title, notes, goals, details }: Section): string {
  const lines = [title, ...notes.map((note) => `  ${note}`)]
  if (details !== undefined) lines.push('', ...toTable(details))
  if (goals.length > 0) lines.push('', ...toGoals(goals))
  return `${lines.join('\n')}\n`
}

export function toGoals(goals: readonly Goal[]): string[] {
  return toTable({
    columns: ['what', 'goal', 'measured', ''],
    rows: goals.map(({ what, goal, measured, passed }) => [
      what,
      goal,
      measured,
      passed ? 'passed' : 'MISSED',
    ]),
  })
}

function toTable({ columns, rows }: Details): string[] {
  const lines = [columns, ...rows]
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [columns, rule, ...rows].map((line) => toLine(line, widths))
}

function toLine(cells: readonly string[], widths: readonly number[]): string {
  return `  ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join('  ')}`.trimEnd()
}
