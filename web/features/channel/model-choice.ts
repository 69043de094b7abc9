/** Which of the models that an upstream lists a channel takes. */

/** What is known of a model in the choice. */
export interface Choosable {
  name: string;
  /** The upstream lists it, and the channel does not have it yet. */
  isNew: boolean;
  /** The channel has it, and the upstream does not list it: a name of its own, or one that is gone. */
  isUnlisted: boolean;
  isUnpriced: boolean;
}

interface Known {
  /** What the upstream lists. */
  listed: readonly string[];
  /** What the channel has. */
  chosen: readonly string[];
  unpriced: readonly string[];
}

/** What the upstream lists, then what the channel has besides. */
export function choosable({ listed, chosen, unpriced }: Known): Choosable[] {
  const [there, had, dear] = [new Set(listed), new Set(chosen), new Set(unpriced)];
  return [...new Set([...listed, ...chosen])].map((name) => ({
    name,
    isNew: !had.has(name),
    isUnlisted: !there.has(name),
    isUnpriced: dear.has(name),
  }));
}

/** What is ticked at first: what the channel has; for one that has nothing, all that can be called at once. */
export function firstChoice({ listed, chosen, unpriced }: Known): ReadonlySet<string> {
  if (chosen.length > 0) return new Set(chosen);
  const dear = new Set(unpriced);
  const priced = listed.filter((name) => !dear.has(name));
  return new Set(priced.length > 0 ? priced : listed);
}

/** The channel's models after the choice: those that it had keep their order, and new ones follow. */
export const afterChoice = (
  { listed, chosen }: Pick<Known, 'listed' | 'chosen'>,
  ticked: ReadonlySet<string>,
): string[] => [...new Set([...chosen, ...listed])].filter((name) => ticked.has(name));
