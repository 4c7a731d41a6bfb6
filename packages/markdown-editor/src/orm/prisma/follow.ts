import { transactionMisuse } from '../errors.ts'
import {
  type Args,
  delegateName,
  delegateOf,
  type OpenClient,
  type Operation,
  type TransactionOptions,
} from './client.ts'
import type { Models } from './models.ts'
import { isWrite, planWrite, type WriteOperation } from './plan.ts'
import { lazily } from './promise.ts'
import type { PrismaTransactions } from './transactions.ts'
import type { FollowWrite, PrismaScope } from './writes.ts'

/** What a followed client needs. */
export interface FollowOptions {
  readonly models: Models
  readonly transactions: PrismaTransactions
  readonly followWrite: FollowWrite
}

/** Does an operation again, in a transaction. */
type InTransaction = (scope: PrismaScope) => Operation

type Work = (client: OpenClient) => Promise<unknown>

/** Makes clients that look like Prisma's, and tell what is written through them. */
export class PrismaFollower {
  readonly #options: FollowOptions
  readonly #modelNames: ReadonlyMap<string, string>
  /** How to do the operations of our clients in a `$transaction([…])`. */
  readonly #inTransaction = new WeakMap<object, InTransaction>()
  /** Those that are followed. */
  readonly #writes = new WeakSet<object>()

  constructor(options: FollowOptions) {
    this.#options = options
    this.#modelNames = new Map(
      [...options.models.all.keys()].map((model) => [delegateName(model), model]),
    )
  }

  /** @param scope the transaction that `client` is; null for a client that is none */
  follow(client: OpenClient, scope: PrismaScope | null): OpenClient {
    const delegates = new Map<string, object>()
    const followed: OpenClient = new Proxy(client, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target)
        const model = typeof property === 'string' ? this.#modelNames.get(property) : undefined
        if (model !== undefined && typeof value === 'object' && value !== null) {
          const delegate =
            delegates.get(model) ?? this.#followDelegate(value, model, followed, target, scope)
          delegates.set(model, delegate)
          return delegate
        }
        if (typeof property !== 'string' || !property.startsWith('$')) return value
        return this.#clientMember(target, property, value, followed, scope)
      },
    })
    return followed
  }

  #clientMember(
    client: OpenClient,
    name: string,
    value: unknown,
    followed: OpenClient,
    scope: PrismaScope | null,
  ): unknown {
    if (name === '$parent' && isObject(value))
      return value === client ? followed : this.follow(value as OpenClient, null)
    if (typeof value !== 'function') return value
    if (name === '$transaction') {
      return (work: Work | readonly Operation[], options?: TransactionOptions) =>
        typeof work === 'function'
          ? this.#interactive(client, scope, (own) => work(this.follow(own.tx, own)), options)
          : this.#batch(client, scope, work, options)
    }
    if (name === '$extends') {
      return (extension: unknown): unknown =>
        typeof extension === 'function'
          ? extension(followed)
          : this.follow(value.call(client, extension) as OpenClient, null)
    }
    return (...args: readonly unknown[]): unknown => {
      const result: unknown = value.apply(client, args)
      if (result === client) return followed
      return this.#remember(result, ({ tx }) => memberOf(tx, name)(...args))
    }
  }

  #followDelegate(
    delegate: object,
    model: string,
    followed: OpenClient,
    client: OpenClient,
    scope: PrismaScope | null,
  ): object {
    return new Proxy(delegate, {
      get: (target, operation, receiver) => {
        if (operation === '$parent') return followed
        const value: unknown = Reflect.get(target, operation, receiver)
        if (typeof value !== 'function' || typeof operation !== 'string') return value
        if (isWrite(operation))
          return (args?: Args) => this.#write(client, scope, model, operation, args)
        if (!PLAIN_OPERATIONS.has(operation)) return value
        return (args?: Args): unknown =>
          this.#remember(value.call(target, args), replay(model, operation, args))
      },
    })
  }

  #write(
    client: OpenClient,
    scope: PrismaScope | null,
    model: string,
    operation: WriteOperation,
    args: Args = {},
  ): unknown {
    const { models, transactions, followWrite } = this.#options
    let plan: ReturnType<typeof planWrite>
    try {
      plan = planWrite(models, model, operation, args)
    } catch (error) {
      return lazily(() => Promise.reject(error))
    }
    if (!plan)
      return this.#remember(
        delegateOf(client, model)[operation]?.(args),
        replay(model, operation, args),
      )
    const found = plan
    const step = (own: PrismaScope) => transactions.inTurn(own, () => followWrite(own, found))
    const result = lazily(() => (scope ? step(scope) : transactions.run(client, step)))
    this.#writes.add(result)
    return this.#remember(result, step)
  }

  #interactive<Result>(
    client: OpenClient,
    scope: PrismaScope | null,
    work: (own: PrismaScope) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result> {
    const { transactions } = this.#options
    return scope ? transactions.nest(scope, work, options) : transactions.run(client, work, options)
  }

  /** Prisma does these in one transaction, in their order. With a followed one among them, so do we. */
  async #batch(
    client: OpenClient,
    scope: PrismaScope | null,
    operations: readonly Operation[],
    options?: TransactionOptions,
  ): Promise<unknown> {
    if (!operations.some((operation) => isObject(operation) && this.#writes.has(operation))) {
      return client.$transaction(operations, options)
    }
    const steps = operations.map((operation) => {
      const step = isObject(operation) ? this.#inTransaction.get(operation) : undefined
      if (step) return step
      throw transactionMisuse(
        'Beside writes that are followed, a $transaction takes operations of models and raw SQL only. Give it a function instead.',
      )
    })
    return this.#interactive(
      client,
      scope,
      async (own) => {
        const results: unknown[] = []
        for (const step of steps) results.push(await step(own))
        return results
      },
      options,
    )
  }

  #remember(operation: unknown, again: InTransaction): unknown {
    if (isObject(operation)) this.#inTransaction.set(operation, again)
    return operation
  }
}

/** Operations that read, and so can be done in a transaction as they are. */
const PLAIN_OPERATIONS: ReadonlySet<string> = new Set([
  ...['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany'],
  ...['aggregate', 'count', 'groupBy', 'exists'],
])

function replay(model: string, operation: string, args?: Args): InTransaction {
  return ({ tx }) => delegateOf(tx, model)[operation]?.(args) ?? Promise.resolve()
}

function memberOf(client: OpenClient, name: string): (...args: readonly unknown[]) => Operation {
  const member = (client as unknown as Readonly<Record<string, unknown>>)[name]
  if (typeof member === 'function') return (...args) => member.apply(client, args) as Operation
  throw transactionMisuse(`${name} cannot be part of a transaction.`)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
