/** Runs steps of one connection one after the other. */
export type Turns = <Result>(connection: object, step: () => Promise<Result>) => Promise<Result>

/** Makes {@link Turns}: a connection does one thing at a time, whoever asks for several at once. */
export function createTurns(): Turns {
  const last = new WeakMap<object, Promise<unknown>>()
  return (connection, step) => {
    const turn = (last.get(connection) ?? Promise.resolve()).then(step)
    last.set(
      connection,
      turn.catch(() => {}),
    )
    return turn
  }
}
