/** Whether a form's text is a whole number that a program can hold exactly; none is negative. */
export const isWhole = (text: string): boolean =>
  /^\d+$/.test(text.trim()) && Number.isSafeInteger(Number(text));
