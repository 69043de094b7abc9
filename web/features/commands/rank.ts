/** How well a command answers to what was typed; 0 when it does not. */

/** The better one is the greater. */
const SCORE = { whole: 4, start: 3, word: 2, inside: 1, none: 0 } as const;

function scoreOf(text: string, wanted: string): number {
  const at = text.indexOf(wanted);
  if (at < 0) return SCORE.none;
  if (text === wanted) return SCORE.whole;
  if (at === 0) return SCORE.start;
  return text.split(/[\s/\-_.]+/).some((word) => word.startsWith(wanted)) ? SCORE.word : SCORE.inside;
}

/** By what a command is found: its name, and other words for it such as its address. */
export interface Named {
  name: string;
  words?: readonly string[];
}

const textsOf = ({ name, words = [] }: Named): string[] => [name, ...words].map((text) => text.toLowerCase());

/**
 * Each word that was typed must be in a name or another word of the command; the worst of them counts, so that
 * `channel add` finds "Add channel" and not every channel.
 */
function rankOf(command: Named, typed: string): number {
  const wanted = typed.trim().toLowerCase();
  const texts = textsOf(command);
  const best = (part: string) => Math.max(...texts.map((text) => scoreOf(text, part)));
  const parts = wanted.split(/\s+/).filter(Boolean);
  return Math.max(best(wanted), Math.min(...parts.map(best)));
}

/** Those that answer, the best first; among equals the order stays. Nothing typed: all of them. */
export function ranked<C extends Named>(commands: readonly C[], typed: string): C[] {
  if (typed.trim() === '') return [...commands];
  return commands
    .map((command) => ({ command, rank: rankOf(command, typed) }))
    .filter(({ rank }) => rank > SCORE.none)
    .sort((a, b) => b.rank - a.rank)
    .map(({ command }) => command);
}
