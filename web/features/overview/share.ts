/** Shares as people read them. */

/** `12.5`: how many of a hundred; the last that is not nothing is never told as nothing. */
export function percentText(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0';
  const percent = (part / whole) * 100;
  if (percent < 0.1) return '< 0.1';
  // What is nearly all is not all.
  if (part < whole && percent > 99.9) return '> 99.9';
  return String(Math.round(percent * 10) / 10);
}

/** Of calls that cost something and calls that failed, which are counted apart. */
export const failureShare = ({ calls, failed }: { calls: number; failed: number }): string =>
  percentText(failed, calls + failed);
