/**
 * What a caller said in his request, held against what an upstream says of it: an error may repeat his words, and may
 * come from what he named.
 */
import { looksLikeJson, textsIn } from '../../core/inner-texts.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { lettersOf } from '../../core/letters.ts';
import { own } from '../../core/own.ts';
import { withoutEscapes, withoutPercents } from '../../core/unescape.ts';
import { runsTools } from '../../dialects/asked-tools.ts';
import { folded } from '../../dialects/spelling.ts';
import type { RelayRequest } from '../request.ts';

export type Asked = Pick<
  RelayRequest,
  'operation' | 'dialect' | 'body' | 'facts' | 'headers' | 'query' | 'upload'
>;

/** A text that is an address, with whatever slashes readers of addresses take after the scheme. */
const ADDRESS = /^[^\p{L}\p{N}\\/]*(?:(?:https?|ftps?|wss?):|[a-z][a-z\d+.-]+:[\\/])/iu;

/** One in the middle of a text, which tools read that fetch pages. */
const ADDRESS_WITHIN = /\b(?:https?|ftps?|wss?):|(?<=[a-z][a-z\d+.-]{1,30}):[\\/]/i;

/** One that is a text in JSON. */
const ADDRESS_QUOTED = /"[^\p{L}\p{N}\\/"]*(?:(?:https?|ftps?|wss?):|[a-z][a-z\d+.-]+:[\\/])/iu;

/** Readers of addresses pass over these. */
const LINE_ENDS = /[\t\n\r]/g;

/** A schema names its own standard by an address, which nobody fetches. */
const SCHEMAS = foldedNames(
  'parameters',
  'parameters_json_schema',
  'input_schema',
  'input_examples',
  'schema',
  'json_schema',
  'response_schema',
  'response_json_schema',
  'properties',
  '$defs',
  'definitions',
);

/** What ends an answer is compared with it, and never read. */
const STOPS = foldedNames('stop', 'stop_sequences');

/** Where tools of the vendor's have been before, by the type of what tells it: nobody goes there again for it. */
const BEEN_AT: Readonly<Record<string, string>> = {
  web_search_call: 'action',
  server_tool_use: 'input',
  web_search_result: 'url',
  web_fetch_result: 'url',
};

/** The caller's own data in a call of a model, which nobody reads for him but tools that the vendor runs. */
const DATA = foldedNames(
  'arguments',
  'args',
  'partial_args',
  'response',
  'metadata',
  'annotations',
  'citations',
  'user',
  'safety_identifier',
);

/** What is said and read as words in a chat. */
const WORDS = foldedNames(
  'content',
  'text',
  'instructions',
  'system',
  'system_instruction',
  'prompt',
  'input',
  'output',
  'description',
  'name',
  'title',
  'reasoning',
  'reasoning_content',
  'thinking',
  'summary',
  'refusal',
);

/** Those by which the vendor itself looks for something, beside the tools of a list. */
const BRINGS_VENDORS = /search|plugin|connector|retriev/i;

/**
 * What is quoted, and what is written together: `get_billing_info`, `properties.balance`, `list-api-key`. Each begins
 * where a word does and has its bound, so that a long text of one word is not read anew from each of its letters.
 */
const NAME =
  /(?<![\p{L}\p{N}])(["'`])(.{1,200}?)\1|(?<![\p{L}\p{N}$])[\p{L}\p{N}$]{1,100}(?:[-_.[\]]{1,100}[\p{L}\p{N}$]{1,100}){1,32}/gu;

/**
 * Looks through the request no sooner than it must, once, and never by parsing: of the JSON that stands in his texts
 * only the spelling is undone, which takes as long as a text is, whatever he wrote.
 */
export class CallersWords {
  readonly #asked: Asked;
  #texts: readonly string[] | undefined;
  #letters: readonly string[] | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Whether words came from him; an upstream may repeat them folded or decoded. */
  hold(words: string): boolean {
    const wanted = lettersOf(words);
    if (wanted === '') return this.#all().some((text) => text.includes(words));
    this.#letters ??= readingsOf(this.#all().join(' ')).map(lettersOf);
    return this.#letters.some((letters) => letters.includes(wanted));
  }

  /** A text without the names of things that are his: tools, fields, values. */
  namesTakenFrom(text: string): string {
    const his = this.#hisAmong(namesIn(text));
    return text.replace(NAME, (match: string, _quote: string, quoted: string | undefined) => {
      const name = quoted ?? match;
      const steps = his.has(name) ? [] : stepsOf(name);
      const others = steps.filter((step) => !his.has(step));
      return others.length === steps.length && steps.length > 0
        ? match
        : match.replace(name, () => others.join('.'));
    });
  }

  /** Whether his upstream must reach for something that he names: an address, a file, what an account keeps. */
  get nameOthers(): boolean {
    const { prompt } = this.#asked.facts;
    if (this.#namesKept || prompt.unseen) return true;
    return this.nameAddresses;
  }

  /** Whether it may have to wait for a host that he has chosen. */
  get nameAddresses(): boolean {
    const fetches = this.#bringsFetching;
    return this.#isIn(this.#asked.body, (text, isWords) => (!isWords || fetches) && isAddress(text, fetches));
  }

  /** Whether he names earlier answers, or parts of them, which only the account that gave them has, if anybody made them. */
  get nameItems(): boolean {
    if (this.#namesKept) return true;
    const { input } = this.#asked.body;
    return Array.isArray(input) && input.some((item) => isObject(item) && typeof item.id === 'string');
  }

  /** Whether he names what an account keeps, his own or not. */
  get #namesKept(): boolean {
    const { sharedContext, containers, claudeContainer, prompt, previousAnswer, continues } =
      this.#asked.facts;
    const inside = containers ?? claudeContainer;
    const kept = [previousAnswer ?? undefined, continues, sharedContext, inside, prompt.spoken];
    return kept.some((each) => each !== undefined);
  }

  /**
   * Whether one of the texts of a body is what is looked for that may be read as addresses: in words, or in fields of their
   * own. A body is bounded in depth before it gets here, and not in how much lies there: no level may cost its values more.
   */
  #isIn(
    value: Json | undefined,
    isIt: (text: string, isWords: boolean) => boolean,
    field = '',
    isWords = false,
  ): boolean {
    // What is embedded, ranked or drawn may be a picture by its address.
    if (typeof value === 'string')
      return isIt(value, isWords || (this.#asked.operation === 'chat' && WORDS.has(field)));
    if (Array.isArray(value)) return value.some((inner) => this.#isIn(inner, isIt, field, isWords));
    if (!isObject(value)) return false;
    const holder = value as JsonObject;
    const been = typeof holder.type === 'string' ? own(BEEN_AT, holder.type) : undefined;
    return Object.entries(holder).some(([name, inner]) => {
      const known = folded(name);
      if (SCHEMAS.has(known) || STOPS.has(known) || known === been) return false;
      const isData = DATA.has(known) || (known === 'input' && isObject(inner) && holder.type === 'tool_use');
      return this.#isIn(inner, isIt, known, isWords || isData);
    });
  }

  /** Whether tools run at the vendor, which may be services of their own that an account has to be granted. */
  get runTools(): boolean {
    return runsTools(this.#asked.body) || this.#brings(BRINGS_VENDORS);
  }

  /** Whether anything may fetch what his words name: tools that run at the vendor, asked for or not. */
  get #bringsFetching(): boolean {
    const { body, dialect, facts } = this.#asked;
    return this.runTools || (dialect.paidTools?.(body, [facts.model]).tools.length ?? 0) > 0;
  }

  #brings(fields: RegExp): boolean {
    const { body } = this.#asked;
    return Object.keys(body).some((name) => fields.test(name) && body[name] !== null && body[name] !== false);
  }

  /** Which of the names are a whole text of his, or one in JSON that he wrote. */
  #hisAmong(names: ReadonlySet<string>): ReadonlySet<string> {
    const his = new Set<string>();
    if (names.size === 0) return his;
    const lengths = new Set<number>(Array.from(names, ({ length }) => length));
    const take = (text: string) => names.has(text) && his.add(text);
    for (const text of this.#all()) {
      if (lengths.has(text.length)) take(text);
      if (!looksLikeJson(text)) continue;
      const inner = withoutEscapes(text);
      for (let from = inner.indexOf('"') + 1; from > 0; ) {
        const to = inner.indexOf('"', from);
        if (lengths.has(to - from)) take(inner.slice(from, to));
        from = to + 1;
      }
    }
    return his;
  }

  #all(): readonly string[] {
    if (this.#texts) return this.#texts;
    const { body, facts, headers, query, upload } = this.#asked;
    const filenames = upload?.files.map(({ filename }) => filename) ?? [];
    this.#texts = [facts.model, ...headers.values(), ...query.values(), ...filenames].concat(textsIn(body));
    return this.#texts;
  }
}

/** `fetches`: also one in the middle. */
function isAddress(text: string, fetches: boolean): boolean {
  const said = text.replace(LINE_ENDS, '');
  return (looksLikeJson(said) ? [said, withoutEscapes(said)] : [said]).some(
    (reading) =>
      ADDRESS.test(reading) ||
      (reading !== said && ADDRESS_QUOTED.test(reading)) ||
      (fetches && ADDRESS_WITHIN.test(reading)),
  );
}

function foldedNames(...names: string[]): ReadonlySet<string> {
  return new Set(names.map(folded));
}

/** The names in a text, and their steps. */
function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [match, , quoted] of text.matchAll(NAME)) {
    const name = quoted ?? match;
    names.add(name);
    for (const step of stepsOf(name)) names.add(step);
  }
  return names;
}

const stepsOf = (name: string): string[] => name.split(/[.[\]]+/);

/** A text as it stands, and with the spellings of JSON and of addresses undone. */
function readingsOf(text: string): string[] {
  const other = withoutPercents(withoutEscapes(text));
  return other === text ? [text] : [text, other];
}
