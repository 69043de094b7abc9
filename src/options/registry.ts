/** All options. Each file declares one subject; a key stands in one file only (tested). */
import { affQuota } from './aff-quota.ts';
import type { OptionSpec } from './define.ts';
import { drawing } from './drawing.ts';
import { legal } from './legal.ts';
import { mail } from './mail.ts';
import { models } from './models.ts';
import { operation } from './operation.ts';
import { other } from './other.ts';
import { pricing } from './pricing.ts';
import { rateLimit } from './rate-limit.ts';
import { requestQuota } from './request-quota.ts';
import { safety } from './safety.ts';
import { signIn } from './sign-in.ts';
import { system } from './system.ts';
import { wallet } from './wallet.ts';

export const subjects = {
  operation,
  pricing,
  wallet,
  rateLimit,
  safety,
  models,
  other,
  legal,
  system,
  signIn,
  mail,
  drawing,
  requestQuota,
  affQuota,
};

export const registry = {
  ...operation,
  ...pricing,
  ...wallet,
  ...rateLimit,
  ...safety,
  ...models,
  ...other,
  ...legal,
  ...system,
  ...signIn,
  ...mail,
  ...drawing,
  ...requestQuota,
  ...affQuota,
};

export type OptionKey = keyof typeof registry;
export type OptionValue<K extends OptionKey> =
  (typeof registry)[K] extends OptionSpec<infer T, string> ? T : never;

type StatusName<K extends OptionKey> =
  (typeof registry)[K] extends OptionSpec<infer _Value, infer S> ? S : never;

/** The fields of the status that carry an option. */
export type OptionStatus = { [K in OptionKey as StatusName<K>]: OptionValue<K> };

export const optionKeys = Object.keys(registry) as OptionKey[];

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(registry, key);

const specs: { readonly [K in OptionKey]: OptionSpec<unknown> } = registry;

export const specOf = (key: OptionKey): OptionSpec<unknown> => specs[key];
