/** A row of the usage log as `/api/log` tells it, and what the page reads out of it. */

import { isObject, type JsonObject, parseObject } from '@core/json.ts';
import type { DataOf } from '@/lib/calls.ts';

export type LogRow = DataOf<'get', '/api/log'>['items'][number];

export const LOG_TYPES = [1, 2, 3, 4, 5, 6, 7] as const;
export type LogType = (typeof LOG_TYPES)[number];
export const isLogType = (type: number): type is LogType => LOG_TYPES.some((one) => one === type);

export const CONSUMPTION = 2;
export const REFUSED = 6;

/** One try of the relay, for those who may see channels. */
export interface Attempt {
  channel: number;
  status: number;
  ms: number;
  reason: string;
}

/** What stands in `other`, as far as the page shows it; fields that are missing or odd are left out. */
export interface LogFacts {
  other: JsonObject;
  /** Milliseconds to the first content; null for whole answers and rows that tell none. */
  firstMs: number | null;
  upstreamModel: string;
  isMapped: boolean;
  /** It went to a supplier with the caller's own key. */
  isOwnKey: boolean;
  isEstimated: boolean;
  /** Parts that nobody saw are charged as they were held. */
  isHeld: boolean;
  /** What the upstream told is not to be believed. */
  isSuspect: boolean;
  /** Nothing came out, and the prompt is charged all the same. */
  isPromptOnly: boolean;
  /** Tokens of what was refused before anything came, for which its upstream bills nobody; null of other calls. */
  unbilledTokens: number | null;
  /** Tokens of what its upstream's searches found and bill nobody for, beside those that are charged; null of other calls. */
  foundTokens: number | null;
  streamEnd: string;
  /** Our code where the upstream has one of its own. */
  reason: string;
  /** HTTP status of a failed call; 0 for none. */
  status: number;
  /** Milliseconds until quota was held, and in all; null for rows that tell none. */
  heldMs: number | null;
  totalMs: number | null;
  /** Quota units that were held for it; null for rows that tell none. */
  held: number | null;
  /** Code of a failed call; its words stand in the row's content. */
  error: string;
  usedChannels: string[];
  attempts: Attempt[];
}

const number = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function readFacts(row: LogRow): LogFacts {
  const other = parseObject(row.other) ?? {};
  const admin = isObject(other.admin_info) ? other.admin_info : {};
  const attempts = Array.isArray(admin.attempts) ? admin.attempts : [];
  const used = Array.isArray(admin.use_channel) ? admin.use_channel : [];
  const unbilled = number(other.unbilled_tokens);
  // Of a refusal nothing else is told.
  const isCharged = row.prompt_tokens > 0 || row.completion_tokens > 0;
  return {
    other,
    firstMs: number(other.frt),
    upstreamModel: text(other.upstream_model_name),
    isMapped: other.is_model_mapped === true && other.byok !== true,
    isOwnKey: other.byok === true,
    isEstimated: other.usage_source === 'estimated',
    isHeld: other.usage_source === 'held',
    isPromptOnly: other.prompt_only === true,
    unbilledTokens: isCharged ? null : unbilled,
    foundTokens: isCharged ? unbilled : null,
    isSuspect: other.usage_suspect === true,
    reason: text(other.reason) || text(other.error),
    status: number(other.status) ?? 0,
    heldMs: number(other.held_ms),
    totalMs: number(other.total_ms),
    held: number(other.held),
    streamEnd: text(other.stream_end),
    error: text(other.error),
    usedChannels: used.map(String),
    attempts: attempts.map(readAttempt),
  };
}

function readAttempt(value: unknown): Attempt {
  const attempt = isObject(value) ? value : {};
  return {
    channel: number(attempt.channel) ?? 0,
    status: number(attempt.status) ?? 0,
    ms: number(attempt.ms) ?? 0,
    reason: text(attempt.reason),
  };
}
