/**
 * Finds any of thousands of literal words in a text, in one pass whatever the words are (Aho and Corasick, 1975).
 * No regular expressions: an operator's list must not be able to slow the gateway down. Case does not matter.
 *
 * The automaton lies in flat arrays. Characters that occur in some word get a small number, all others lead back to the
 * start. Nodes are numbered by depth: the start and the first letters, where most of a text is read, have a whole row of
 * steps each; deeper ones look their edges up in an open hash table.
 */

/** A word's place in the text: from `start` up to, but not including, `end`. */
export interface WordMatch {
  start: number;
  end: number;
}

/** Walks a text that comes in pieces; positions count from the first piece on. */
export interface WordScanner {
  /** The longest match at each place of this piece where one ends: no more than it has characters. */
  push(piece: string): WordMatch[];
  /** How many characters at the end may yet become part of a word: they are its beginning. */
  readonly open: number;
}

export interface WordMatcher {
  /** The first word that the text contains, as the list has it in lower case; null when it contains none. */
  find(text: string): string | null;
  scanner(): WordScanner;
  /** Length of the longest word; 0 for an empty list. */
  readonly longest: number;
}

const ROOT = 0;
/** Steps of whole rows: 16 MiB of them. Beyond it only the start has one. */
const ROW_STEPS_MAX = 4 * 1024 * 1024;

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
  const { letters, stride, nodesMax } = alphabetOf(words);
  const edges = new Edges(nodesMax);
  const depthOf = new Int32Array(nodesMax);
  const parentOf = new Int32Array(nodesMax);
  const letterOf = new Uint16Array(nodesMax);
  /** 1 for a node from which a longer word goes on. */
  const hasMore = new Uint8Array(nodesMax);
  /** Length of the word that ends at a node; 0 for none. */
  const wordEnd = new Int32Array(nodesMax);
  const longest = words.reduce((most, word) => Math.max(most, word.length), 0);

  // Level by level, so that the nodes stand in the order of their depth.
  let nodes = 1;
  const at = new Int32Array(words.length);
  for (let depth = 0; depth < longest; depth++) {
    for (const [i, word] of words.entries()) {
      if (depth >= word.length) continue;
      const letter = letters[word.charCodeAt(depth)] ?? 0;
      const parent = at[i] ?? ROOT;
      let node = edges.find(parent, letter);
      if (node === ROOT) {
        node = nodes++;
        edges.put(parent, letter, node);
        depthOf[node] = depth + 1;
        parentOf[node] = parent;
        letterOf[node] = letter;
        hasMore[parent] = 1;
      }
      if (depth === word.length - 1) wordEnd[node] = word.length;
      at[i] = node;
    }
  }

  let firstLetters = 0;
  while (depthOf[firstLetters + 1] === 1) firstLetters++;
  /** Nodes below this one have a row: where each letter leads, whatever was read before. */
  const rowed = (firstLetters + 1) * stride <= ROW_STEPS_MAX ? firstLetters + 1 : 1;
  const rows = new Int32Array(rowed * stride);
  for (let letter = 1; letter < stride; letter++) rows[letter] = edges.find(ROOT, letter);
  for (let node = 1; node < rowed; node++) {
    for (let letter = 1; letter < stride; letter++) {
      rows[node * stride + letter] = edges.find(node, letter) || (rows[letter] ?? ROOT);
    }
  }

  /** The longest proper suffix that is itself a beginning of a word. */
  const suffix = new Int32Array(nodesMax);
  const step = (from: number, letter: number): number => {
    for (let node = from; ; node = suffix[node] ?? ROOT) {
      if (node < rowed) return rows[node * stride + letter] ?? ROOT;
      const to = edges.find(node, letter);
      if (to !== ROOT) return to;
    }
  };
  /** The nearest suffix at which a word ends; 0 for none. */
  const nextEnd = new Int32Array(nodesMax);
  /** How much of what was read may still become a word, or a longer one. */
  const openOf = new Int32Array(nodesMax);
  for (let node = 1; node < nodes; node++) {
    const parent = parentOf[node] ?? ROOT;
    const to = parent === ROOT ? ROOT : step(suffix[parent] ?? ROOT, letterOf[node] ?? 0);
    suffix[node] = to;
    nextEnd[node] = wordEnd[to] ? to : (nextEnd[to] ?? 0);
    openOf[node] = hasMore[node] === 1 ? (depthOf[node] ?? 0) : (openOf[to] ?? 0);
  }
  /** Length of the longest word that ends where a node was reached; 0 for none. */
  const ends = wordEnd.map((length, node) => length || (wordEnd[nextEnd[node] ?? 0] ?? 0));

  return {
    longest,
    find(text) {
      if (words.length === 0) return null;
      const folded = fold(text);
      let node = ROOT;
      for (let i = 0; i < folded.length; i++) {
        const letter = letters[folded.charCodeAt(i)] ?? 0;
        node = letter === 0 ? ROOT : step(node, letter);
        const ended = ends[node] ?? 0;
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
            const length = ends[node] ?? 0;
            if (length > 0) found.push({ start: position + 1 - length, end: position + 1 });
          }
          return found;
        },
        get open() {
          return openOf[node] ?? 0;
        },
      };
    },
  };
}

/** A number for each character that occurs, and bounds for what is made of the words. */
function alphabetOf(words: readonly string[]) {
  const letters = new Uint16Array(65_536);
  let count = 0;
  let nodesMax = 1;
  for (const word of words) {
    nodesMax += word.length;
    for (let i = 0; i < word.length; i++) {
      const unit = word.charCodeAt(i);
      if (letters[unit] === 0) letters[unit] = ++count;
    }
  }
  return { letters, stride: count + 1, nodesMax };
}

/** Edges of the automaton: node and letter lead to a node. Three numbers an entry, side by side in memory. */
class Edges {
  readonly #mask: number;
  readonly #entries: Int32Array;

  constructor(nodesMax: number) {
    const size = 2 ** Math.ceil(Math.log2(nodesMax * 2 + 2));
    this.#mask = size - 1;
    this.#entries = new Int32Array(size * 3);
  }

  /** 0, which no edge leads to, where there is none. */
  find(node: number, letter: number): number {
    return this.#entries[this.#place(node, letter) + 2] ?? 0;
  }

  put(node: number, letter: number, to: number): void {
    const place = this.#place(node, letter);
    this.#entries[place] = node;
    this.#entries[place + 1] = letter;
    this.#entries[place + 2] = to;
  }

  // An empty entry has no letter. Neighbouring keys are common, and must not crowd together.
  #place(node: number, letter: number): number {
    const entries = this.#entries;
    let mixed = Math.imul(node, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
    let at = (mixed ^ (mixed >>> 16)) & this.#mask;
    for (;;) {
      const place = at * 3;
      const held = entries[place + 1];
      if (held === 0 || (held === letter && entries[place] === node)) return place;
      at = (at + 1) & this.#mask;
    }
  }
}
