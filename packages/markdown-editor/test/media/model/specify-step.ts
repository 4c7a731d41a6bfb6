import { findMediaIds } from '../../../../markdown/src/media-urls/media-id.ts'
import type { Person } from './people.ts'
import { type AppRecordKey, ledgerField, recordKey } from './records.ts'
import { chosen, personOf, textOf } from './saves.ts'
import { APPLICATION, type MentionsByField, type Specification } from './specification.ts'
import type { Change, Field, Step } from './steps.ts'
import { HOUR, type World } from './world.ts'

type StepOf<Name extends Step['do']> = Extract<Step, { do: Name }>
type Texts = Partial<Record<Field, string>>

interface SpecifiedRecord {
  readonly texts: Texts
  readonly writer: Person | null
}

/** The expected result of a step, in addition to its effect on files and references. */
export interface Prediction {
  readonly missing: Set<string>
  /** Ids whose temporary URLs are replaced when the text is finalized. */
  readonly finalized: Set<string>
}

/** Applies steps to the specification. Apply each step here before the editor runs it. */
export class StepSpecifier {
  readonly #world: World
  readonly #spec: Specification
  #records = new Map<string, SpecifiedRecord>()

  constructor(world: World, spec: Specification) {
    this.#world = world
    this.#spec = spec
  }

  /** Ignores uploads, because their ids are known only afterwards. */
  apply(step: Step): Prediction {
    const prediction: Prediction = { missing: new Set(), finalized: new Set() }
    switch (step.do) {
      case 'finalize':
        for (const { id } of chosen(this.#world, step.files)) {
          if (this.#spec.finalize(id, personOf(this.#world, step.who, step.files)?.owner ?? ''))
            prediction.finalized.add(id)
        }
        break
      case 'save':
        this.#save(step, prediction)
        break
      case 'flip': {
        const writer = personOf(this.#world, step.who, [step.file])
        for (const files of [[step.file], []]) {
          this.#saveOne(recordKey(step.record), files, 'body', writer, prediction)
        }
        break
      }
      case 'draft':
        this.#saveOne(
          { type: 'draft', id: String(step.record) },
          step.files,
          'body',
          this.#writer(step),
          prediction,
        )
        break
      case 'deleteOrphanedMedia':
        this.#deleteOrphanedMedia(step, prediction)
        break
      case 'claim':
        this.#spec.claim(
          personOf(this.#world, 3 + step.session)?.owner ?? '',
          personOf(this.#world, step.user)?.owner ?? '',
        )
        break
      case 'rebuild':
        this.#rebuild()
        break
      case 'wait':
        this.#spec.now += step.hours * HOUR
        break
      case 'sweep':
        this.#spec.sweep()
        break
      case 'remove':
        for (const { id } of chosen(this.#world, [step.file])) this.#spec.remove(id, 'moderation')
        break
      case 'restore':
        for (const { id } of chosen(this.#world, [step.file])) this.#spec.restore(id)
    }
    return prediction
  }

  #writer({
    who,
    files,
  }: {
    readonly who: number | null
    readonly files: readonly number[]
  }): Person | null {
    return personOf(this.#world, who, files)
  }

  #save(step: StepOf<'save'>, prediction: Prediction): void {
    const who = personOf(this.#world, step.who, step.changes[0]?.files)
    const rollBack = this.#snapshot()
    const removed = new Set<string>()
    for (const change of step.changes) {
      const undo = this.#snapshot()
      const dropped = this.#change(change, who, prediction)
      if (change.savepoint === 'undone') undo()
      else for (const id of dropped) removed.add(id)
    }
    if (step.end === 'rollback') rollBack()
    if (step.end === 'commit') this.#spec.settle(removed, who?.owner ?? APPLICATION)
  }

  #change(change: Change, who: Person | null, prediction: Prediction): string[] {
    const key = recordKey(change.record)
    const before = this.#records.get(nameOf(key))
    if (change.write === 'delete') {
      this.#records.delete(nameOf(key))
      return before ? this.#spec.save(nameOf(key), new Map(), true, who?.owner ?? null).removed : []
    }
    const text = textOf(chosen(this.#world, change.files))
    if (key.type === 'note') return this.#write(key, { body: text }, who, prediction)
    const texts =
      change.write === 'both'
        ? { body: text, summary: before?.texts.body ?? '' }
        : { [change.field]: text }
    return this.#write(key, texts, who, prediction)
  }

  #write(key: AppRecordKey, texts: Texts, writer: Person | null, prediction: Prediction): string[] {
    const name = nameOf(key)
    this.#records.set(name, { texts: { ...this.#records.get(name)?.texts, ...texts }, writer })
    const saved = this.#spec.save(
      name,
      mentionsIn(key, texts),
      key.type !== 'post',
      writer?.owner ?? null,
    )
    for (const id of saved.missing) prediction.missing.add(id)
    return saved.removed
  }

  #saveOne(
    key: AppRecordKey,
    files: readonly number[],
    field: Field,
    writer: Person | null,
    prediction: Prediction,
  ): void {
    const texts = { [field]: textOf(chosen(this.#world, files)) }
    this.#spec.settle(this.#write(key, texts, writer, prediction), writer?.owner ?? APPLICATION)
  }

  #deleteOrphanedMedia(step: StepOf<'deleteOrphanedMedia'>, prediction: Prediction): void {
    const { field, order } = step
    const key = recordKey(step.record)
    const newText = textOf(chosen(this.#world, step.files))
    const kept = findMediaIds(newText)
    const gone = [...referencedIn(this.#records.get(nameOf(key))?.texts[field] ?? '')].filter(
      (id) => !kept.has(id),
    )
    const writer = this.#writer(step)
    const name = writer?.owner ?? null
    const isBefore = order === 'before the save'
    if (isBefore) this.#spec.deleteOrphanedMedia(gone, name, `${nameOf(key)}/${field}`)
    this.#saveOne(key, step.files, field, writer, prediction)
    if (!isBefore) this.#spec.deleteOrphanedMedia(gone, name, null)
  }

  #rebuild(): void {
    for (const [name, { texts, writer }] of [...this.#records].sort()) {
      const [type, id] = name.split('/') as [AppRecordKey['type'], string]
      // If a session has signed in, its owner key is unknown. Then the application is the actor.
      const isKnown = writer !== null && this.#world.people.includes(writer)
      this.#spec.addReferences(name, mentionsIn({ type, id }, texts), isKnown ? writer.owner : null)
    }
  }

  /** @returns a function that restores the current state, to be called at most once */
  #snapshot(): () => void {
    const spec = this.#spec
    const files = structuredClone(spec.files)
    const references = structuredClone(spec.references)
    const records = new Map(this.#records)
    return () => {
      spec.files = files
      spec.references = references
      this.#records = records
    }
  }
}

/** Returns the files that a text uses, except for ids in code. See {@link textOf}. */
function referencedIn(text: string): Set<string> {
  return findMediaIds(
    text
      .split('\n')
      .filter((line) => !line.startsWith('`'))
      .join('\n'),
  )
}

function mentionsIn({ type }: AppRecordKey, texts: Texts): MentionsByField {
  return new Map(
    Object.entries(texts).map(([field, text]) => [
      ledgerField(type, field as Field),
      findMediaIds(text),
    ]),
  )
}

function nameOf({ type, id }: AppRecordKey): string {
  return `${type}/${id}`
}
