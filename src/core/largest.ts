/**
 * The largest of what a caller may have written in any number: a million as arguments of `Math.max` fill the stack. Of none
 * it is 0.
 */
export const largestOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);
