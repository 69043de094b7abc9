/**
 * A role's text: JSON on the wire, TOML in the form. What TOML cannot hold (a null, a list at the top), or what reading it
 * would change (numbers of too many digits, a name that stands twice), is edited as JSON and goes back digit by digit. JSON has
 * no dates: one of TOML is a text there, letter by letter, and a text that is one is a date in the form again.
 */
import { isObject, parseJson } from '@core/json.ts';
import { nestsDeeper } from '@core/json-depth.ts';
import { AI_ROLE_DEPTH_MAX } from '@modules/ai-role/facts.ts';
import { parse, stringify } from 'smol-toml';

export type RoleSyntax = 'toml' | 'json';

export interface RoleText {
  syntax: RoleSyntax;
  text: string;
}

/** What JSON on the wire is indented by. */
const INDENT = '    ';

/** Strings, numbers, words and marks, each by itself; white space between them is left out. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const tokensOf = (json: string): string[] => json.match(TOKEN) ?? [];

const opens = (token: string | undefined): boolean => token === '{' || token === '[';
const closes = (token: string | undefined): boolean => token === '}' || token === ']';

/** JSON laid out in lines, every token as it is written. */
export function laidOut(json: string): string {
  const tokens = tokensOf(json);
  let depth = 0;
  let text = '';
  const line = () => `\n${INDENT.repeat(depth)}`;
  for (const [at, token] of tokens.entries()) {
    if (opens(token)) {
      depth++;
      text += closes(tokens[at + 1]) ? token : token + line();
    } else if (closes(token)) {
      depth--;
      text += opens(tokens[at - 1]) ? token : line() + token;
    } else if (token === ',') {
      text += token + line();
    } else {
      text += token === ':' ? ': ' : token;
    }
  }
  return text;
}

/** The same value with each object's fields in one order, however they were written. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
};
const areAlike = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Whether the text says no more than what is read from it: each number to its last digit, each name once. */
function isReadWhole(json: string, value: unknown): boolean {
  const written = tokensOf(json).map((token) =>
    token.startsWith('"') ? JSON.stringify(parseJson(token)) : token,
  );
  return written.join('') === JSON.stringify(value);
}

const DATE = String.raw`\d{4}-\d\d-\d\d`;
const TIME = String.raw`\d\d:\d\d(?::\d\d(?:\.\d+)?)?`;
/** TOML's four kinds: a time with and without its zone, a day, and a time of any day. */
const MOMENT = String.raw`${DATE}(?:[Tt ]${TIME}(?:[Zz]|[+-]\d\d:\d\d)?)?|${TIME}`;
const IS_MOMENT = new RegExp(`^(?:${MOMENT})$`);
/** Strings of the four kinds and comments, in which nothing is a date; dates; and whatever else has such letters. */
const TOML_PARTS = new RegExp(
  [
    String.raw`"""(?:\\[^]|[^])*?"""+`,
    `'''[^]*?'''+`,
    String.raw`"(?:\\.|[^"\\\n])*"`,
    String.raw`'[^'\n]*'`,
    String.raw`#[^\n]*`,
    String.raw`(?:${MOMENT})(?![\w+.:-])`,
    String.raw`[\w+.:-]+`,
  ].join('|'),
  'g',
);

/** February has no thirtieth, which readers of dates take for the second of March. */
function isOnCalendar(moment: string): boolean {
  const day = moment.slice(0, 10);
  return moment[4] !== '-' || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** What TOML says, its dates as texts. Throws where it is none, and on days that there are not. */
function readToml(toml: string): unknown {
  parse(toml);
  const texts = toml.replace(TOML_PARTS, (part) => {
    if (!IS_MOMENT.test(part)) return part;
    if (!isOnCalendar(part)) throw new RangeError('no day of the calendar');
    return JSON.stringify(part);
  });
  return parse(texts);
}

function isMoment(text: string): boolean {
  if (!IS_MOMENT.test(text)) return false;
  try {
    readToml(`moment = ${text}`);
    return true;
  } catch {
    return false;
  }
}

/** A date that is written as it was. */
class Moment extends Date {
  constructor(readonly text: string) {
    super(0);
  }

  override toISOString(): string {
    return this.text;
  }
}

/** The value with a date in the place of each text that is one. */
function withDates(value: unknown): unknown {
  if (typeof value === 'string') return isMoment(value) ? new Moment(value) : value;
  if (Array.isArray(value)) return value.map(withDates);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDates(each)]));
}

/** How a stored role is edited. */
export function editedRole(json: string): RoleText {
  const asJson: RoleText = { syntax: 'json', text: laidOut(json) };
  const value = nestsDeeper(json, AI_ROLE_DEPTH_MAX) ? undefined : parseJson(json);
  if (!isObject(value) || !isReadWhole(json, value)) return asJson;
  try {
    const text = stringify(withDates(value));
    // A role of nothing would be an empty field.
    return text.trim() !== '' && areAlike(readToml(text), value) ? { syntax: 'toml', text } : asJson;
  } catch {
    return asJson;
  }
}

/** The JSON that is sent for what was typed, indented by four; null for what does not parse. */
export function sentRole({ syntax, text }: RoleText): string | null {
  try {
    if (syntax === 'json') {
      JSON.parse(text);
      return nestsDeeper(text, AI_ROLE_DEPTH_MAX) ? null : laidOut(text);
    }
    const value = readToml(text);
    // JSON has neither infinity nor what is no number, and would make null of them.
    const json = JSON.stringify(value, (_, each) => {
      if (typeof each === 'number' && !Number.isFinite(each)) throw new RangeError('no number of JSON');
      return each;
    });
    return nestsDeeper(json, AI_ROLE_DEPTH_MAX) ? null : laidOut(json);
  } catch {
    return null;
  }
}
