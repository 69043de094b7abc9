/** What of the text of an answer its model has written itself. */
import { showsFound } from '../../dialects/asked-tools.ts';
import { textAfter } from './count.ts';

/** What is its model's of the text of an answer. */
export type OwnOf = (text: string) => string;

interface Others {
  /** What its caller has said, with which an answer may begin. */
  before: string;
  /** Names of its model. */
  names: readonly string[];
  /** What tools have found costs nothing. */
  freeFinds?: true | undefined;
}

/** Beside data, of which nobody knows what its upstream counts it as, and beside what is others'. */
export function ownText(text: string, { before, names, freeFinds }: Others): string {
  const written = besideData(textAfter(before, text));
  return freeFinds && showsFound(names) ? besideFound(written) : written;
}

/** What is encoded within a text, as pictures are that some gateways put there. */
const DATA = /;base64,[A-Za-z0-9+/]*={0,2}/g;
/** Its lines are long, as in mail: words that stand below each other are none. */
const MORE_DATA = /^[A-Za-z0-9+/]{60,}={0,2}\r?\n?/gm;

export function besideData(text: string): string {
  const rest = text.replaceAll(DATA, '');
  return rest.length === text.length ? text : rest.replaceAll(MORE_DATA, '');
}

/** Groq's marks of what a tool has found, behind those of its call (console.groq.com/docs/web-search, "message.reasoning"). */
const FOUND = '<output>';
const FOUND_END = '</output>';

function besideFound(text: string): string {
  let own = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(FOUND, at);
    const end = start < 0 ? -1 : text.indexOf(FOUND_END, start);
    if (end < 0) return own + text.slice(at);
    own += text.slice(at, start);
    at = end + FOUND_END.length;
  }
}
