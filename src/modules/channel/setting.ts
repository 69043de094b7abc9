/** The wire field `setting`: what its keys may hold, and the typed form that the relay reads. Unknown keys are kept. */

import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { asIs } from '../../core/text.ts';
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

/** Throws CHANNEL_HEADER, and CHANNEL_SETTING naming the key that does not fit. */
export function checkSetting(setting: JsonObject): void {
  const reserved = Object.keys(headersOf(setting)).find(isReserved);
  if (reserved) throw fail('CHANNEL_HEADER', { params: { field: asIs(`headers.${reserved}`) } });
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

type Headers = Record<string, unknown>;
const headersOf = ({ headers }: JsonObject): Headers => (isObject(headers) ? headers : {});
