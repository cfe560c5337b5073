/**
 * The iterator that `open` brings, ended when `signal` aborts: before it has come, between two values or in the middle
 * of waiting for one (contract, section 7: a client that vanishes at any moment leaves nothing behind).
 *
 * The transports end an iterator too, but only one they have already been handed, and graphql-ws forgets the first of
 * two operations that a client gives the same id. The signal of the connection forgets nothing.
 */
export async function endingWith<T>(
  signal: AbortSignal,
  open: () => Promise<AsyncIterableIterator<T>>,
): Promise<AsyncIterableIterator<T>> {
  signal.throwIfAborted();
  const source = await open();
  const end = () => void source.return?.()?.catch(() => {}); // the client is gone: there is nobody to tell
  if (signal.aborted) {
    end();
    signal.throwIfAborted();
  }
  signal.addEventListener("abort", end, { once: true });
  const forget = () => signal.removeEventListener("abort", end);

  const ending: AsyncIterableIterator<T> = {
    async next() {
      try {
        const result = await source.next();
        if (result.done) forget();
        return result;
      } catch (error) {
        forget();
        throw error;
      }
    },
    async return(value) {
      forget();
      return (await source.return?.(value)) ?? { done: true, value };
    },
    [Symbol.asyncIterator]() {
      return ending;
    },
  };
  return ending;
}
