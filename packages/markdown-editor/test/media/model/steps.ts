import fc from 'fast-check'
import type { Isolation } from './connections.ts'

/** A field of a post. It is ignored for a note, which has only one text. */
export type Field = 'body' | 'summary'

export interface Change {
  /** The record: 0 to 2 are posts with two fields, 3 and 4 are notes with one text. */
  readonly record: number
  readonly write: 'field' | 'both' | 'delete'
  readonly field: Field
  readonly files: readonly number[]
  /** Whether the change is in a savepoint, which is then kept or rolled back. */
  readonly savepoint: 'none' | 'kept' | 'undone'
}

/** One action of a person or the application. Numbers select existing people, records or files. */
export type Step =
  | {
      readonly do: 'upload'
      readonly who: number
      readonly file: 'good' | 'refused' | 'mislabeled' | 'empty'
    }
  | {
      readonly do: 'finalize'
      readonly who: number
      readonly files: readonly number[]
      readonly times: number
    }
  | {
      readonly do: 'save'
      /** The writer. If null, the application is the actor. */
      readonly who: number | null
      readonly changes: readonly Change[]
      readonly isolation: Isolation
      /** With `killed`, the process dies after the commit and does not settle. */
      readonly end: 'commit' | 'rollback' | 'killed'
    }
  /** Two saves of a record, with a file and without it. */
  | {
      readonly do: 'flip'
      readonly who: number | null
      readonly record: number
      readonly file: number
    }
  /** The save of a record without a transaction of the application. */
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
  | { readonly do: 'remove' | 'restore' | 'get'; readonly file: number }
  | { readonly do: 'claim'; readonly session: number; readonly user: number }
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'sweep' | 'rebuild' | 'check' | 'fault' }

/** A number that stands for the owner of the first file instead of a fixed person. */
export const OWNER = 5

export interface WorldOptions {
  readonly orphanGrace: number
  readonly ownerQuota: number | null
  readonly isFoundRows: boolean
  /** The seed of the pauses. */
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
    isolation: fc.constantFrom('default', 'default', 'other'),
    end: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'killed'),
  })
}

/** Steps that affect existing files, each with its weight. */
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
        do: fc.constantFrom('remove', 'restore', 'get', 'get'),
        file,
      }),
    ],
    [3, fc.record({ do: fc.constantFrom('sweep', 'sweep', 'rebuild', 'check') })],
  ]
}

const qualities = [
  'good',
  'good',
  'good',
  'good',
  'good',
  'refused',
  'mislabeled',
  'empty',
] as const
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

/** Any step except for a fault of the storage. */
export const step: fc.Arbitrary<Step> = oneOf([...decisions(fc.nat(3)), ...others])
const fault: fc.Arbitrary<Step> = fc.record({ do: fc.constant('fault') })

/** Steps that run concurrently. The next moment starts when all of them have ended. */
export type Moment = readonly Step[]

const concurrentSteps = { minLength: 1, maxLength: 8, size: 'max' } as const
const faultless: fc.Arbitrary<Moment> = fc.array(step, concurrentSteps)
const faulty: fc.Arbitrary<Moment> = fc.array(
  fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: fault }),
  concurrentSteps,
)
/** A moment in which all steps use one file. Sometimes its grace period ends in this moment. */
const contention: fc.Arbitrary<Moment> = fc
  .tuple(fc.nat(3), fc.boolean())
  .chain(([file, isLate]) => {
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
        ...concurrentSteps,
        minLength: 5,
      })
      .map((steps) => [...wait, ...steps])
  })

/** @param length the maximum number of moments */
export function histories(length: number): fc.Arbitrary<Moment[]> {
  const moments = (moment: fc.Arbitrary<Moment>) =>
    fc.array(fc.oneof({ weight: 3, arbitrary: moment }, { weight: 1, arbitrary: contention }), {
      minLength: 1,
      maxLength: length,
      size: 'max',
    })
  return fc.oneof(
    { weight: 4, arbitrary: moments(faultless) },
    { weight: 1, arbitrary: moments(faulty) },
  )
}
