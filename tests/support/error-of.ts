/** What a call is rejected with; the promises of clients are not all plain ones. */
export async function errorOf(call: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}
