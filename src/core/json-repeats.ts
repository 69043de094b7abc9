/** Names that stand twice in one object of a JSON text. Parsers keep the last and say nothing, whatever the first one meant. */
import { closingQuote } from './json-depth.ts';

/** The first such name, or null. One pass without recursion, over text that is JSON; of other text nothing is said. */
export function repeatedName(text: string): string | null {
  /** The names of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        isName = true;
        break;
      case '[':
        open.push(null);
        isName = false;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        isName = open.at(-1) instanceof Set;
        break;
      case '"': {
        const end = closingQuote(text, at);
        const names = open.at(-1);
        if (isName && names) {
          const name = unquoted(text.slice(at, end + 1));
          if (names.has(name)) return name;
          names.add(name);
          isName = false;
        }
        at = end;
      }
    }
  }
  return null;
}

/** One name may be written in several ways: `"a"` is `"\u0061"`. */
function unquoted(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
