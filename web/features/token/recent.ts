/** Tokens made in this document: the list marks them, so that a new one is found at once. */
const made = new Set<number>();

export const markNew = (id: number): void => void made.add(id);
export const isRecent = ({ id }: { id: number }): boolean => made.has(id);
