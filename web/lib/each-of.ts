/** How many calls are under way at once. */
const AT_ONCE = 4;

/** Does something to each of several rows, some at a time; answers those to which it was done, and those where it failed. */
export async function eachOf<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<{ done: Row[]; failed: Row[] }> {
  const results: boolean[] = [];
  const waiting = rows.entries();
  const take = async () => {
    // One after another, as many of these as there may be calls under way.
    for (const [at, row] of waiting) {
      results[at] = await work(row).then(
        () => true,
        () => false,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return { done: rows.filter((_, at) => results[at]), failed: rows.filter((_, at) => !results[at]) };
}
