/** What this document did with channels and has yet to show: the new rows, and the outcome of a first test. */
const made = new Set<number>();
const outcomes = new Map<number, TestOutcome>();

/** A test's end: which model answered and in what time, or why none did. */
export type TestOutcome = { ok: true; model: string; ms: number } | { ok: false; reason: string };

export const markNew = (id: number): void => void made.add(id);
export const isRecent = ({ id }: { id: number }): boolean => made.has(id);

/** Hands an outcome from the form that made a channel to the one that now edits it. */
export const keepOutcome = (id: number, outcome: TestOutcome): void => void outcomes.set(id, outcome);
export function takeOutcome(id: number): TestOutcome | null {
  const outcome = outcomes.get(id) ?? null;
  outcomes.delete(id);
  return outcome;
}
