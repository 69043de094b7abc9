/**
 * Which texts each file of the console's code brings. They are found in the code itself: a key stands there whole, or as a
 * template whose holes fill one part of it each, and the last all that is left (`log.type.${type}`). So a page loads the
 * texts of what it shows, in its language, with the code that shows them, and no others.
 */
import compile from 'icu-minify/compile';
import { parseSync, Visitor } from 'rolldown/utils';

/** Texts by their keys. */
export type Texts = Readonly<Record<string, string>>;

/** An output file, as far as its texts depend on it. */
export interface CodeFile {
  imports: readonly string[];
  /** The keys that its own code has. */
  keys: ReadonlySet<string>;
}

/** Keys have dots; what has none is a text of another kind. */
const KEY = /^\w+(?:\.[\w-]+)+$/;
const BEGINNING = /^\w+\.[\w.-]*$/;
/** What a hole stands for, and what may follow one at the end: actions of the log have dots of their own. */
const ONE_PART = '[^.]+';
const MORE_PARTS = '(?:[.].+)?';

/** Names under which the translator is called, also where the bundler had to tell two apart. */
const TRANSLATOR = /^t(?:\$\d+)?$/;

/**
 * The keys of the texts that a module's code may ask for. Throws where it asks for one that cannot be known from the code,
 * or for one that there is not: such a text would be missing on the page.
 */
export function keysIn(code: string, known: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const unknown: string[] = [];
  const fitting = (quasis: readonly string[]): string[] => {
    const [beginning = ''] = quasis;
    if (!BEGINNING.test(beginning)) return [];
    const end = quasis.at(-1) === '' ? MORE_PARTS : '';
    const pattern = new RegExp(`^${quasis.map((part) => RegExp.escape(part)).join(ONE_PART)}${end}$`);
    return [...known].filter((key) => pattern.test(key));
  };
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string' && known.has(value)) found.add(value);
    },
    TemplateLiteral({ quasis }) {
      const parts = quasis.map(({ value }) => value.cooked ?? value.raw);
      const [whole] = parts;
      if (parts.length === 1 && whole !== undefined && known.has(whole)) found.add(whole);
      if (parts.length > 1) for (const key of fitting(parts)) found.add(key);
    },
    CallExpression({ callee, arguments: [asked], start, end }) {
      const name =
        callee.type === 'Identifier'
          ? callee.name
          : callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
            ? callee.property.name
            : '';
      if (!TRANSLATOR.test(name) || asked === undefined) return;
      const isUnknown =
        (asked.type === 'Literal' &&
          typeof asked.value === 'string' &&
          KEY.test(asked.value) &&
          !known.has(asked.value)) ||
        asked.type === 'BinaryExpression' ||
        (asked.type === 'TemplateLiteral' &&
          asked.expressions.length > 0 &&
          fitting(asked.quasis.map(({ value }) => value.cooked ?? value.raw)).length === 0);
      if (isUnknown) unknown.push(code.slice(start, end));
    },
  }).visit(parseSync('module.js', code, { sourceType: 'module' }).program);
  if (unknown.length > 0) throw new Error(`Which texts these ask for is not known: ${unknown.join(', ')}`);
  return found;
}

/** The keys that each file must bring: its own, without those that come with the files that it imports. */
export function keysBrought(files: ReadonlyMap<string, CodeFile>): Map<string, string[]> {
  const behind = new Map([...files.keys()].map((name) => [name, reach(name, files)] as const));
  return new Map(
    [...files].map(([name, { keys }]) => {
      // Of two files that import each other both bring them.
      const before = [...(behind.get(name) ?? [])].filter((other) => !behind.get(other)?.has(name));
      return [
        name,
        [...keys].filter((key) => !before.some((other) => files.get(other)?.keys.has(key))).sort(),
      ];
    }),
  );
}

/** All that a file imports, and what that imports, without itself unless it is among them. */
function reach(name: string, files: ReadonlyMap<string, CodeFile>): Set<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    for (const imported of files.get(file)?.imports ?? []) {
      if (found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(name);
  return found;
}

/** What stands before a file's code, so that the translator has these texts; nothing where it brings none. */
export function bringing(keys: readonly string[], texts: Texts): string {
  if (keys.length === 0) return '';
  const compiled = keys.map((key) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`There is no text for ${key}.`);
    return [key, compile(text)] as const;
  });
  return `Object.assign(globalThis.consoleTexts??={},${JSON.stringify(Object.fromEntries(compiled))});`;
}
