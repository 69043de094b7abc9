/**
 * Finds any of thousands of literal words in a text, in one pass whatever the words are (Aho and Corasick, 1975).
 * No regular expressions: an operator's list must not be able to slow the gateway down. Case does not matter.
 *
 * The automaton lies in flat arrays: characters that occur in some word get a small number, all others lead back to the
 * start, and an edge is one probe of an open hash table.
 */

/** A word's place in the text: from `start` up to, but not including, `end`. */
export interface WordMatch {
  start: number;
  end: number;
}

/** Walks a text that comes in pieces; positions count from the first piece on. */
export interface WordScanner {
  /** The matches that end in this piece. */
  push(piece: string): WordMatch[];
}

export interface WordMatcher {
  /** The first word that the text contains, as the list has it in lower case; null when it contains none. */
  find(text: string): string | null;
  scanner(): WordScanner;
  /** Length of the longest word: how much of a stream must be held back so that no part of a word slips out. */
  readonly longest: number;
}

const ROOT = 0;

/** Folding by character keeps positions: a text and its folded form are equally long. */
const fold = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : Array.from({ length: text.length }, (_, i) => foldUnit(text.charAt(i))).join('');
};

const foldUnit = (unit: string): string => {
  const lower = unit.toLowerCase();
  return lower.length === 1 ? lower : unit;
};

export function createWordMatcher(given: readonly string[]): WordMatcher {
  const words = [...new Set(given.map((word) => fold(word.trim())).filter(Boolean))];
  const letters = new Uint16Array(65_536);
  let letterCount = 0;
  let edgesMax = 1;
  for (const word of words) {
    edgesMax += word.length;
    for (let i = 0; i < word.length; i++) {
      const unit = word.charCodeAt(i);
      if (letters[unit] === 0) letters[unit] = ++letterCount;
    }
  }

  const size = 2 ** Math.ceil(Math.log2(edgesMax * 2 + 2));
  const mask = size - 1;
  const stride = letterCount + 1;
  /** Hash table of edges: key `node × stride + letter`, never 0; a key's place holds the node it leads to. */
  const keys = new Float64Array(size);
  const targets = new Int32Array(size);

  // The multiplication spreads neighbouring keys; both factors stay in 32 bits.
  const placeOf = (node: number, letter: number): number => {
    const key = node * stride + letter;
    let place = (Math.imul(node, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b)) & mask;
    while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) & mask;
    return place;
  };

  /** Length of the word that ends at a node; 0 for none. */
  const wordEnd = new Int32Array(edgesMax + 1);
  /** The longest proper suffix that is itself a beginning of a word. */
  const suffix = new Int32Array(edgesMax + 1);
  /** The nearest suffix at which a word ends; 0 for none. */
  const nextEnd = new Int32Array(edgesMax + 1);

  let nodes = 1;
  const children: [node: number, letter: number, parent: number][] = [];
  for (const word of words) {
    let node = ROOT;
    for (let i = 0; i < word.length; i++) {
      const letter = letters[word.charCodeAt(i)] ?? 0;
      const place = placeOf(node, letter);
      if (keys[place] === 0) {
        keys[place] = node * stride + letter;
        targets[place] = nodes;
        children.push([nodes++, letter, node]);
      }
      node = targets[place] ?? ROOT;
    }
    wordEnd[node] = word.length;
  }

  const step = (from: number, letter: number): number => {
    let node = from;
    for (;;) {
      const place = placeOf(node, letter);
      if (keys[place] !== 0) return targets[place] ?? ROOT;
      if (node === ROOT) return ROOT;
      node = suffix[node] ?? ROOT;
    }
  };

  // Shallow nodes first: a node's suffix is shorter than itself.
  const depth = new Int32Array(edgesMax + 1);
  for (const [node, , parent] of children) depth[node] = (depth[parent] ?? 0) + 1;
  for (const [node, letter, parent] of children.sort((a, b) => (depth[a[0]] ?? 0) - (depth[b[0]] ?? 0))) {
    const to = parent === ROOT ? ROOT : step(suffix[parent] ?? ROOT, letter);
    suffix[node] = to;
    nextEnd[node] = wordEnd[to] ? to : (nextEnd[to] ?? 0);
  }

  const longest = words.reduce((most, word) => Math.max(most, word.length), 0);

  return {
    longest,
    find(text) {
      if (words.length === 0) return null;
      const folded = fold(text);
      let node = ROOT;
      for (let i = 0; i < folded.length; i++) {
        const letter = letters[folded.charCodeAt(i)] ?? 0;
        node = letter === 0 ? ROOT : step(node, letter);
        if (node === ROOT) continue;
        const ended = wordEnd[node] || wordEnd[nextEnd[node] ?? 0] || 0;
        if (ended > 0) return folded.slice(i + 1 - ended, i + 1);
      }
      return null;
    },
    scanner() {
      let node = ROOT;
      let position = 0;
      return {
        push(piece) {
          const found: WordMatch[] = [];
          const folded = fold(piece);
          for (let i = 0; i < folded.length; i++, position++) {
            const letter = letters[folded.charCodeAt(i)] ?? 0;
            node = letter === 0 ? ROOT : step(node, letter);
            for (let at = wordEnd[node] ? node : (nextEnd[node] ?? 0); at !== 0; at = nextEnd[at] ?? 0) {
              found.push({ start: position + 1 - (wordEnd[at] ?? 0), end: position + 1 });
            }
          }
          return found;
        },
      };
    },
  };
}
