/**
 * What a caller said in his request, held against what an upstream says of it: an error may repeat his words, and may
 * come from what he named.
 */
import type { RelayRequest } from './request.ts';
import { readTexts, textsIn } from './sensitive.ts';

export type Asked = Pick<RelayRequest, 'body' | 'facts' | 'headers' | 'query' | 'upload'>;

/** A text that is an address; also with one slash, or without its scheme, as readers of addresses take them. */
const ADDRESS = /^[^\p{L}\p{N}\\/]*(?:[a-z][a-z\d+.-]*:)?[\\/]{2}|^[^\p{L}\p{N}\\/]*[a-z][a-z\d+.-]+:[\\/]/iu;

/** One in the middle of a text, which tools read that fetch pages. */
const ADDRESS_WITHIN = /[a-z\d+.-]:[\\/]/i;

/** Fields by which a request has tools, in the words of any wire. */
const BRINGS_TOOLS = /tool|mcp|search|plugin|connector|web|retriev|function/i;

/**
 * What is quoted, and what is written together: `get_billing_info`, `properties.balance`, `list-api-key`. Each begins
 * where a word does and has its bound, so that a long text of one word is not read anew from each of its letters.
 */
const NAME =
  /(?<![\p{L}\p{N}])(["'`])(.{1,200}?)\1|(?<![\p{L}\p{N}$])[\p{L}\p{N}$]{1,100}(?:[-_.[\]]{1,100}[\p{L}\p{N}$]{1,100}){1,32}/gu;

/** Looks through the request no sooner than it must, and once. */
export class CallersWords {
  readonly #asked: Asked;
  #texts: readonly string[] | undefined;
  #folded: readonly string[] | undefined;
  #names: ReadonlySet<string> | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Whether words came from him; an upstream may repeat them folded or decoded. */
  hold(words: string): boolean {
    this.#folded ??= foldedOnce(this.#all().join(' '));
    const wanted = bare(words);
    return this.#folded.some((text) => text.includes(wanted));
  }

  /** A text without the names of things that are his: tools, fields, values. */
  namesTakenFrom(text: string): string {
    return text.replace(NAME, (match: string, _quote: string, quoted: string | undefined) => {
      const name = quoted ?? match;
      const steps = this.#isName(name) ? [] : name.split(/[.[\]]+/);
      const others = steps.filter((step) => !this.#isName(step));
      return others.length === steps.length && steps.length > 0
        ? match
        : match.replace(name, () => others.join('.'));
    });
  }

  /** Whether his upstream must reach for something that he names: an address, a file, what an account keeps. */
  get nameOthers(): boolean {
    const { sharedContext, prompt, previousAnswer } = this.#asked.facts;
    if (sharedContext !== undefined || prompt.unseen || previousAnswer !== null) return true;
    const pattern = this.#bringsTools ? ADDRESS_WITHIN : ADDRESS;
    return this.#all().some((text) => pattern.test(text) || ADDRESS.test(text));
  }

  get #bringsTools(): boolean {
    const { body } = this.#asked;
    return Object.keys(body).some((name) => BRINGS_TOOLS.test(name) && body[name] !== null);
  }

  #isName(text: string): boolean {
    this.#names ??= new Set(this.#all());
    return this.#names.has(text);
  }

  #all(): readonly string[] {
    if (this.#texts) return this.#texts;
    const { body, facts, headers, query, upload } = this.#asked;
    const said = [
      ...query.values(),
      ...textsIn(body),
      ...(upload?.files.map(({ filename }) => filename) ?? []),
    ];
    this.#texts = [facts.model, ...headers.values(), ...said.flatMap((text) => readTexts(text))];
    return this.#texts;
  }
}

const foldedOnce = (text: string): string[] => {
  const other = decoded(text);
  return other === text ? [bare(text)] : [bare(text), bare(other)];
};

/** Letters and digits alone, as any reader would fold them; a list of nothing else is compared as it stands. */
const bare = (text: string): string => {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(/[^\p{L}\p{N}]+/gu, '') || folded;
};

const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
