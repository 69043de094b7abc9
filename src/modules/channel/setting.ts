/** The wire field `setting`: what its keys may hold, and the typed form that the relay reads. Unknown keys are kept. */

import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { type AsIs, asIs } from '../../core/text.ts';
import { COST_RATIO_MAX } from './facts.ts';
import type { ChannelSetting } from './model.ts';

/** Names that the gateway sets itself, that frame the message, or that would carry a credential past the key field. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'api-key',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
  'x-goog-api-key',
]);

const isReserved = (name: string): boolean => RESERVED_HEADERS.has(name.toLowerCase());

const HEADERS_MAX = 50;

const headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/)
      .refine((name) => !isReserved(name)),
    z.string().regex(/^[\x20-\x7e]{0,2000}$/),
  )
  .refine((all) => Object.keys(all).length <= HEADERS_MAX)
  // One header, whatever the letters of its name.
  .refine(
    (all) => new Set(Object.keys(all).map((name) => name.toLowerCase())).size === Object.keys(all).length,
  );

const proxy = z.string().refine((text) => text === '' || (/^https?:\/\//i.test(text) && URL.canParse(text)));

const seconds = z.number().positive().max(86_400);

const settingShape = z.looseObject({
  proxy: proxy.nullish(),
  force_format: z.boolean().nullish(),
  thinking_to_content: z.boolean().nullish(),
  system_prompt: z.string().max(50_000).nullish(),
  system_prompt_override: z.boolean().nullish(),
  shared_context: z.boolean().nullish(),
  allow_dearer: z.boolean().nullish(),
  connect_timeout: seconds.nullish(),
  first_content_timeout: seconds.nullish(),
  idle_timeout: seconds.nullish(),
  total_timeout: seconds.nullish(),
  /** What the upstream takes, as a part of the model's price here before the group's ratio. */
  cost_ratio: z.number().nonnegative().max(COST_RATIO_MAX).nullish(),
  headers: headers.nullish(),
});

/** A header by its place in the setting. */
export const headerField = (name: string): AsIs => asIs(['headers', name].join('.'));

/** Throws CHANNEL_HEADER, and CHANNEL_SETTING naming the key that does not fit. */
export function checkSetting(setting: JsonObject): void {
  const reserved = Object.keys(headersOf(setting)).find(isReserved);
  if (reserved) throw fail('CHANNEL_HEADER', { params: { field: headerField(reserved) } });
  const parsed = settingShape.safeParse(setting);
  if (parsed.success) return;
  throw fail('CHANNEL_SETTING', { params: { field: asIs(parsed.error.issues[0]?.path.join('.') ?? '') } });
}

const toMs = (value: number | null | undefined): number | undefined =>
  value ? Math.round(value * 1000) : undefined;

const NONE: z.output<typeof settingShape> = {};

/** The typed form. A stored value that no longer fits counts as none: a bad setting must not take the channel away. */
export function readSetting(stored: JsonObject): ChannelSetting {
  const parsed = settingShape.safeParse(stored);
  const given = parsed.success ? parsed.data : NONE;
  return {
    proxy: given.proxy || null,
    forceFormat: given.force_format ?? false,
    thinkingToContent: given.thinking_to_content ?? false,
    systemPrompt: given.system_prompt ?? '',
    systemPromptOverride: given.system_prompt_override ?? false,
    sharedContext: given.shared_context ?? false,
    allowSurcharges: given.allow_dearer ?? false,
    deadlines: {
      connectMs: toMs(given.connect_timeout),
      firstContentMs: toMs(given.first_content_timeout),
      idleMs: toMs(given.idle_timeout),
      totalMs: toMs(given.total_timeout),
    },
    ...(typeof given.cost_ratio === 'number' && { costRatio: given.cost_ratio }),
    headers: Object.fromEntries(
      Object.entries(given.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

const MASK = '***';

/** Headers whose values are credentials, such as `cf-aig-authorization` or `helicone-auth`. */
const SECRET_HEADER = /auth|key|token|secret|passw|cookie|credential|signature/i;

type Headers = Record<string, unknown>;
const headersOf = ({ headers }: JsonObject): Headers => (isObject(headers) ? headers : {});

const secretHeaders = (setting: JsonObject): string[] =>
  Object.keys(headersOf(setting)).filter((name) => SECRET_HEADER.test(name));

/** The setting as it may be shown: what authorises at a proxy, or in a header, is a secret. */
export function shownSetting(stored: JsonObject): JsonObject {
  const { proxy: address } = stored;
  const masked = Object.fromEntries(secretHeaders(stored).map((name) => [name, MASK]));
  return {
    ...stored,
    ...(typeof address === 'string' ? { proxy: shownProxy(address) } : {}),
    ...(Object.keys(masked).length > 0 ? { headers: { ...headersOf(stored), ...masked } as JsonObject } : {}),
  };
}

/** Without its password, or the name that stands alone because it is one. */
function shownProxy(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!url.password && !url.username) return address;
  if (url.password) url.password = MASK;
  else url.username = MASK;
  return url.href;
}

/** The setting to store: a proxy and headers that come back exactly as they were shown keep their secrets. */
export function keptSetting(given: JsonObject, stored: JsonObject): JsonObject {
  const { proxy: address } = stored;
  const isShown = typeof address === 'string' && given.proxy === shownProxy(address);
  const held = headersOf(stored);
  const headers = Object.entries(headersOf(given)).map(([name, value]) => [
    name,
    value === MASK && SECRET_HEADER.test(name) ? (held[name] ?? value) : value,
  ]);
  return {
    ...given,
    ...(isShown ? { proxy: address } : {}),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
  };
}

/** The first header of the stored setting that authorises and would be kept by a change to `given`; null for none. */
export const carriedSecret = (given: JsonObject | undefined, stored: JsonObject): string | null =>
  secretHeaders(stored).find((name) => {
    if (given === undefined) return true;
    return headersOf(given)[name] === MASK;
  }) ?? null;
