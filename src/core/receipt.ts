/**
 * The bill of one call as a document: what was counted, by which prices, line by line, and what was charged. Worked out
 * from the log row alone, so that whoever has the row can work it out again.
 */
import { DECIMAL_ONE, decimalOf, decimalText } from './decimal.ts';
import type { JsonObject } from './json.ts';
import type { Charge, Quote, TierSpan } from './price-formula.ts';
import { chargeOfRecord, quoteOfRecord, tierOfRecord, usageOfRecord } from './price-record.ts';
import type { Usage } from './usage.ts';

/** What of a row a receipt is made of. */
export interface ReceiptRow {
  id: number;
  request_id: string;
  created_at: number;
  username: string;
  token_name: string;
  model_name: string;
  group: string;
  is_stream: boolean;
  /** Quota units that were charged. */
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

export interface Receipt extends ReceiptRow, Omit<Charge, 'quota'> {
  version: 1;
  price: { kind: Quote['price']['kind']; source: Quote['source']; self_use: boolean; tier: TierSpan | null };
  usage: Usage;
  /** Where the counts come from. */
  usage_source: string;
  usage_suspect: boolean;
  /** What the formula gives: `exact`, rounded half up once. */
  formula_quota: number;
  /** What of it an empty account could not pay. */
  written_off: number;
}

/** Null where the row tells no price: it is no charged call, or its counts do not fit together. */
export function receiptOf(row: ReceiptRow, other: JsonObject): Receipt | null {
  const charge = chargeOfRecord(row, other);
  const quote = quoteOfRecord(other);
  if (!charge || !quote) return null;
  const { quota: formula, ...worked } = charge;
  const { id, request_id, created_at, username, token_name, model_name, group, is_stream } = row;
  return {
    version: 1,
    ...{ id, request_id, created_at, username, token_name, model_name, group, is_stream },
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    price: {
      kind: quote.price.kind,
      source: quote.source,
      self_use: quote.selfUse,
      tier: tierOfRecord(other),
    },
    usage: usageOfRecord(row, other),
    usage_source: typeof other.usage_source === 'string' ? other.usage_source : '',
    usage_suspect: other.usage_suspect === true,
    ...worked,
    formula_quota: formula,
    quota: row.quota,
    written_off: Math.max(formula - row.quota, 0),
  };
}

/** What the call cost its operator, in quota units as decimal text, where the channel's cost price was known. */
export interface UpstreamCost {
  /** The upstream's price as a part of the model's, before the group's ratio. */
  cost_ratio: string;
  cost: string;
  /** What was charged without the cost; with a minus when the call lost money. */
  margin: string;
}

/** As many places as the factors of a sum and a cost ratio can have. */
const PLACES = 60;

const scaled = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(PLACES, '0').slice(0, PLACES));
};

/** Null where the row knows no cost price. */
export function upstreamCost(
  { sum, quota }: Pick<Receipt, 'sum' | 'quota'>,
  ratio: unknown,
): UpstreamCost | null {
  const known = typeof ratio === 'number' ? decimalOf(ratio) : null;
  if (known === null) return null;
  const cost = (scaled(sum) * known) / DECIMAL_ONE;
  const margin = scaled(String(quota)) - cost;
  return {
    cost_ratio: decimalText(known),
    cost: decimalText(cost, PLACES),
    margin: margin < 0n ? `-${decimalText(-margin, PLACES)}` : decimalText(margin, PLACES),
  };
}
