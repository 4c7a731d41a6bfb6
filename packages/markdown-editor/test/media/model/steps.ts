import fc from 'fast-check'
import type { Isolation } from './connections.ts'

/** Which field of a record is written; a note has one text only. */
export type Field = 'body' | 'summary'

/** What a transaction does to one record. */
export interface Change {
  /** 0 to 2 are posts with two fields, 3 and 4 are notes with one text. */
  readonly record: number
  readonly write: 'field' | 'both' | 'delete'
  readonly field: Field
  readonly files: readonly number[]
  /** Whether it is done in a savepoint, which is kept or rolled back. */
  readonly savepoint: 'none' | 'kept' | 'undone'
}

/** What somebody does; numbers choose among what there is. */
export type Step =
  | {
      readonly do: 'upload'
      readonly who: number
      readonly file: 'good' | 'refused' | 'lying' | 'empty'
    }
  | {
      readonly do: 'finalize'
      readonly who: number
      readonly files: readonly number[]
      readonly times: number
    }
  | {
      readonly do: 'save'
      /** Null: the application answers for the texts. */
      readonly who: number | null
      readonly changes: readonly Change[]
      readonly isolation: Isolation
      /** `killed`: the process ends after the commit. */
      readonly end: 'commit' | 'rollback' | 'killed'
    }
  /** Two saves: with a file, and without it. */
  | {
      readonly do: 'flip'
      readonly who: number | null
      readonly record: number
      readonly file: number
    }
  /** A record that is saved without a transaction of the application. */
  | {
      readonly do: 'draft'
      readonly who: number
      readonly record: number
      readonly files: readonly number[]
    }
  | {
      readonly do: 'deleteOrphanedMedia'
      readonly who: number | null
      readonly record: number
      readonly field: Field
      readonly files: readonly number[]
      readonly order: 'before the save' | 'after the save'
    }
  | { readonly do: 'remove' | 'restore' | 'look'; readonly file: number }
  | { readonly do: 'claim'; readonly session: number; readonly user: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'sweep' | 'rebuild' | 'check' | 'fault' }

/** In the place of a person: whoever uploaded the first of the files. */
export const OWNER = 5

/** What differs from one world to the next. */
export interface WorldOptions {
  readonly orphanGrace: number
  readonly ownerQuota: number | null
  readonly isFoundRows: boolean
  /** Of the pauses. */
  readonly seed: number
}

export const worldOptions: fc.Arbitrary<WorldOptions> = fc.record({
  orphanGrace: fc.constantFrom(0, 86_400),
  ownerQuota: fc.constantFrom(null, 900),
  isFoundRows: fc.boolean(),
  seed: fc.nat(),
})

const field = fc.constantFrom<Field>('body', 'summary')
const who = fc.oneof(
  { weight: 3, arbitrary: fc.constant(OWNER) },
  { weight: 2, arbitrary: fc.nat(4) },
)
const writer = fc.oneof({ weight: 4, arbitrary: who }, { weight: 1, arbitrary: fc.constant(null) })

/** @param file chooses one */
function saves(file: fc.Arbitrary<number>): fc.Arbitrary<Step> {
  const change: fc.Arbitrary<Change> = fc.record({
    record: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4),
    write: fc.constantFrom('field', 'field', 'field', 'both', 'delete'),
    field,
    files: fc.array(file, { maxLength: 3 }),
    savepoint: fc.constantFrom('none', 'none', 'kept', 'undone'),
  })
  return fc.record({
    do: fc.constant('save'),
    who: writer,
    changes: fc.oneof(
      { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(change, { minLength: 2, maxLength: 3 }) },
    ),
    isolation: fc.constantFrom('own', 'own', 'other'),
    end: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'killed'),
  })
}

/** What decides on the life of files that are there, each with its weight. */
function decisions(file: fc.Arbitrary<number>): [number, fc.Arbitrary<Step>][] {
  const files = fc.array(file, { maxLength: 3 })
  const order = fc.constantFrom('before the save' as const, 'after the save' as const)
  return [
    [6, fc.record({ do: fc.constant('finalize'), who, files, times: fc.constantFrom(1, 1, 2) })],
    [9, saves(file)],
    [3, fc.record({ do: fc.constant('flip'), who: writer, record: fc.nat(4), file })],
    [1, fc.record({ do: fc.constant('draft'), who, record: fc.nat(1), files })],
    [
      3,
      fc.record({
        do: fc.constant('deleteOrphanedMedia'),
        who: writer,
        record: fc.constantFrom(0, 0, 0, 1),
        field,
        files,
        order,
      }),
    ],
    [
      3,
      fc.record({
        do: fc.constantFrom('remove', 'restore', 'look', 'look'),
        file,
      }),
    ],
    [3, fc.record({ do: fc.constantFrom('sweep', 'sweep', 'rebuild', 'check') })],
  ]
}

const qualities = ['good', 'good', 'good', 'good', 'good', 'refused', 'lying', 'empty'] as const
const others: [number, fc.Arbitrary<Step>][] = [
  [
    3,
    fc.record({ do: fc.constant('upload'), who: fc.nat(4), file: fc.constantFrom(...qualities) }),
  ],
  [1, fc.record({ do: fc.constant('claim'), session: fc.nat(1), user: fc.nat(2) })],
  [2, fc.record({ do: fc.constant('wait'), hours: fc.constantFrom(1, 2, 7, 12, 25, 25, 170) })],
]

function oneOf(weighted: readonly [number, fc.Arbitrary<Step>][]): fc.Arbitrary<Step> {
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

/** Anything but a storage that is out of order. */
export const step: fc.Arbitrary<Step> = oneOf([...decisions(fc.nat(3)), ...others])
const fault: fc.Arbitrary<Step> = fc.record({ do: fc.constant('fault') })

/** What happens at once. The next moment begins when all of it is over. */
export type Moment = readonly Step[]

const atOnce = { minLength: 1, maxLength: 8, size: 'max' } as const
const calm: fc.Arbitrary<Moment> = fc.array(step, atOnce)
const faulty: fc.Arbitrary<Moment> = fc.array(
  fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: fault }),
  atOnce,
)
/** Everybody wants one file, and it may just have been an orphan for long enough. */
const storm: fc.Arbitrary<Moment> = fc.tuple(fc.nat(3), fc.boolean()).chain(([file, isLate]) => {
  const flips: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('flip'),
    who: fc.constant(null),
    record: fc.nat(4),
    file: fc.constant(file),
  })
  const sweeps = fc.constant<Step>({ do: 'sweep' })
  const wait: Step[] = isLate ? [{ do: 'wait', hours: 25 }] : []
  return fc
    .array(oneOf([...decisions(fc.constant(file)), [6, flips], [5, sweeps]]), {
      ...atOnce,
      minLength: 5,
    })
    .map((steps) => [...wait, ...steps])
})

/**
 * Moments, one after the other.
 * @param length at most this many
 */
export function histories(length: number): fc.Arbitrary<Moment[]> {
  const moments = (moment: fc.Arbitrary<Moment>) =>
    fc.array(fc.oneof({ weight: 3, arbitrary: moment }, { weight: 1, arbitrary: storm }), {
      minLength: 1,
      maxLength: length,
      size: 'max',
    })
  return fc.oneof(
    { weight: 4, arbitrary: moments(calm) },
    { weight: 1, arbitrary: moments(faulty) },
  )
}
