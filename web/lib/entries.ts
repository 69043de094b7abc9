/** The entries of a comma or line list, trimmed, each once. */
export const entriesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,，\n]/)
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
];
