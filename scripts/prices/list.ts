/** Turns the open price list `@pydantic/genai-prices` into our file of default prices. No network, no clock. */
import { join } from 'node:path';
import {
  type ConditionalPrice,
  calcPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
} from '@pydantic/genai-prices';
import { drawsTokens } from '../../src/core/drawing-tokens.ts';
import type { ListPrice, PriceFile } from '../../src/options/default-ratios.ts';
import type { TierPrice } from '../../src/options/tiered-price.ts';
import { readable } from './caches.ts';
import { MORE_NAMES } from './names.ts';
import { CORRECTIONS, OWN_CALLS, OWN_TOKENS } from './own.ts';

const NONE = /^(?!)/;

/** The vendors whose own models are taken, and which of their names. */
const VENDORS: Readonly<Record<string, RegExp>> = {
  openai: /^(gpt|chatgpt|o\d|codex|computer-use|text-embedding|whisper)/,
  anthropic: /^claude/,
  google: /^gemini/,
  deepseek: /^deepseek/,
  'x-ai': /^grok/,
  mistral: /^(mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|open-)/,
  cohere: /^(command|embed)/,
  moonshotai: /^(kimi|moonshot)/,
  zai: /^glm/i,
  minimax: /^minimax/i,
  openrouter: NONE,
};

/** Names of resellers and of tuned models, and Azure's spellings. */
const FOREIGN = /[:/@]|\.ft-|^gpt-35|^gpt-\d-\d(-|$)/;

/** Where an upstream tells no tokens, a minute of transcribed speech counts 1,000. */
const TOKENS_AN_HOUR = 60_000;
const MILLION = 1_000_000;

/** The whole file; `asOf` is the day of the list. */
export function makePriceFile(version: string, asOf: string): PriceFile {
  const listed = Object.entries(VENDORS).flatMap(([vendor, own]) => {
    const models = findProvider({ providerId: vendor })?.models ?? [];
    const names = models.flatMap(namesOf).filter((name) => own.test(name) && !FOREIGN.test(name));
    return [...names, ...(MORE_NAMES[vendor] ?? [])].map(
      (name) => [name, listPrice(vendor, name, asOf)] as const,
    );
  });
  const tokens = new Map(Object.entries(OWN_TOKENS));
  for (const [name, price] of listed) {
    if (!price) continue;
    const known = { ...price, ...CORRECTIONS[name] };
    if (!lacksDrawn(name, known)) tokens.set(name, known);
  }
  return {
    as_of: asOf,
    source: `@pydantic/genai-prices ${version} (MIT), and the vendors' own price pages where it has none`,
    tokens: sorted(readable(Object.fromEntries(tokens))),
    calls: sorted(OWN_CALLS),
  };
}

/** They write nothing: what they put out are pictures. */
const DRAWS_ALONE = /^(chatgpt|gpt)-image-/;

/** A model that writes and draws, of which the list has the price of its words alone: at that its pictures would be sold. */
const lacksDrawn = (name: string, { imageOutput }: ListPrice): boolean =>
  drawsTokens(name) && imageOutput === undefined && !DRAWS_ALONE.test(name);

/** A line a model, so that a refresh shows what changed. */
export function textOf({ tokens, calls, ...head }: PriceFile): string {
  const line = (value: unknown) =>
    JSON.stringify(value)
      .replace(/([:,{])(?=["\d[{n])/g, '$1 ')
      .replace(/}(?=[\],]|$)/g, ' }');
  const lines = (table: object) =>
    Object.entries(table).map(([model, value]) => `    ${JSON.stringify(model)}: ${line(value)}`);
  const parts = [
    ...Object.entries(head).map(([key, value]) => `  "${key}": ${JSON.stringify(value)}`),
    ...Object.entries({ tokens, calls }).map(
      ([key, table]) => `  "${key}": {\n${lines(table).join(',\n')}\n  }`,
    ),
  ];
  return `{\n${parts.join(',\n')}\n}\n`;
}

export async function installedVersion(): Promise<string> {
  const path = join(import.meta.dir, '../../node_modules/@pydantic/genai-prices/package.json');
  const { version }: { version: string } = await Bun.file(path).json();
  return version;
}

const sorted = <T>(table: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The names that a model is surely known by: its id where its own rule matches it, and those that the rule spells out. */
const namesOf = ({ id, match }: ModelInfo): string[] => [id, ...spelledOut(match)];

function spelledOut(match: MatchLogic): string[] {
  if ('equals' in match) return [match.equals];
  return 'or' in match ? match.or.flatMap(spelledOut) : [];
}

/** Null where the list has no price of tokens for the name. */
function listPrice(vendor: string, name: string, asOf: string): ListPrice | null {
  const found = calcPrice({}, name, { providerId: vendor });
  if (!found) return null;
  const price = dearest(inForce(found.model.prices, asOf));
  const short = pricesBeyond(price, 0);
  if (!short) return null;
  const tiers = tiersOf(price);
  return { ...short, ...(tiers.length > 1 && { tiers }) };
}

/** A tier for each length of the prompt at which the list has another price. */
function tiersOf(price: ModelPrice): TierPrice[] {
  const starts = Object.values(price).flatMap((value) =>
    typeof value === 'object' ? value.tiers.map(({ start }) => start) : [],
  );
  const bounds = [...new Set(starts)].sort((a, b) => a - b);
  return [0, ...bounds].flatMap((from, i): TierPrice[] => {
    const prices = pricesBeyond(price, from);
    if (!prices) return [];
    const { input, output, cacheRead, cacheWrite } = prices;
    return [{ up_to: bounds[i] ?? null, input, output, cache_read: cacheRead, cache_write: cacheWrite }];
  });
}

/** What prompts of more tokens than so many cost; null where the list has no price of tokens. */
function pricesBeyond(price: ModelPrice, prompt: number): ListPrice | null {
  const usd = (key: string): number | undefined => {
    const value = price[key];
    if (typeof value !== 'object') return value;
    return value.tiers.findLast(({ start }) => start <= prompt)?.price ?? value.base;
  };
  const hour = usd('input_audio_hours');
  const input = usd('input_mtok') ?? (hour === undefined ? undefined : (hour / TOKENS_AN_HOUR) * MILLION);
  if (input === undefined) return null;
  // Films have no kind of their own: the dearer of them and words is what output costs.
  const output = Math.max(
    usd('output_mtok') ?? (hour === undefined ? input : 0),
    usd('output_video_mtok') ?? 0,
  );
  return {
    input,
    output,
    cacheRead: usd('cache_read_mtok'),
    cacheReadAudio: usd('cache_audio_read_mtok'),
    cacheWrite: usd('cache_write_mtok'),
    audioInput: usd('input_audio_mtok'),
    audioOutput: usd('output_audio_mtok'),
    imageInput: usd('input_image_mtok'),
    imageOutput: usd('output_image_mtok'),
    videoInput: usd('input_video_mtok'),
  };
}

/** The prices of all hours on the day of the list, and those that were announced for later. */
function inForce(prices: ConditionalPrice[] | ModelPrice, asOf: string): ModelPrice[] {
  if (!Array.isArray(prices)) return [prices];
  const begun = prices.findLastIndex(
    ({ constraint }) => !constraint || (constraint.type === 'start_date' && constraint.start_date <= asOf),
  );
  return prices.slice(Math.max(begun, 0)).map((price) => price.prices);
}

/** A table that is not refreshed in time, and knows no hours, must not sell below cost. */
function dearest(prices: ModelPrice[]): ModelPrice {
  const inputOf = ({ input_mtok: price }: ModelPrice) =>
    typeof price === 'object' ? price.base : (price ?? 0);
  return prices.reduce((most, price) => (inputOf(price) > inputOf(most) ? price : most));
}
