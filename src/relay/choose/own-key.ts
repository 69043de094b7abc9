/**
 * A caller's own key at a supplier, as one more candidate: a call of `supplier/model` goes to it as to a channel that has
 * this one key. All that is done to candidates is done to it; only who pays, and what is told of it, differs.
 */
import { MODEL_NAME_MAX } from '../../core/bounds.ts';
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import { CHANNEL_STATUS } from '../../modules/channel/facts.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { OwnKey } from '../../modules/custom-model/service.ts';
import { MODEL_SEPARATOR } from '../../modules/supplier/facts.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';

const NONE: ReadonlyMap<string, OwnKey> = new Map();

/** No quota bounds what they cost at the supplier, so an application that calls for a user has none of his. */
const keysOf = async (
  { userId, ownKeys: mayUse }: Caller,
  ownKeys: RelayDeps['ownKeys'],
): Promise<ReadonlyMap<string, OwnKey>> => (mayUse ? ownKeys.of(userId) : NONE);

/** The caller's own key for a model of this name; null where he has none. Throws why it cannot be used. */
export async function ownTiers(
  caller: Caller,
  model: string,
  { ownKeys }: Pick<RelayDeps, 'ownKeys'>,
): Promise<readonly Tier[] | null> {
  const at = model.indexOf(MODEL_SEPARATOR);
  // Longer names are no supplier's: they stand in log rows and figures.
  if (at <= 0 || at === model.length - 1 || model.length > MODEL_NAME_MAX) return null;
  const key = (await keysOf(caller, ownKeys)).get(model.slice(0, at));
  if (!key) return null;
  checkUsable(key);
  return [{ priority: 0, channels: [channelOf(key, model, model.slice(at + 1))] }];
}

function checkUsable({ unusable, supplier }: OwnKey): void {
  const params = { supplier: asIs(supplier) };
  switch (unusable) {
    case 'disabled':
      throw fail('supplier_disabled', { params });
    case 'moved':
      throw fail('own_key_needed', { params });
    case 'refused':
      throw fail('own_key_refused', { params });
  }
}

/** Names of the models that callers are told of by their own keys, sorted. */
export async function ownModels(caller: Caller, { ownKeys }: Pick<RelayDeps, 'ownKeys'>): Promise<string[]> {
  const keys = [...(await keysOf(caller, ownKeys)).values()].filter(({ unusable }) => unusable === null);
  return keys
    .flatMap(({ supplier, models }) => models.map((model) => supplier + MODEL_SEPARATOR + model))
    .sort();
}

/** Ids below 0 are no channel's, and no two keys have the same. */
const channelOf = (key: OwnKey, model: string, upstream: string): RoutedChannel => ({
  id: -key.id,
  ownKey: key,
  type: key.type,
  name: key.supplier,
  status: CHANNEL_STATUS.enabled,
  baseUrl: key.baseUrl,
  privateAllowed: key.privateAllowed,
  organization: '',
  other: '',
  keys: [{ id: -key.id, value: key.key }],
  keyMode: 'random',
  expiresAt: -1,
  models: [model],
  groups: [],
  modelMapping: { [model]: upstream },
  statusCodeMapping: {},
  setting: {
    proxy: null,
    forceFormat: false,
    thinkingToContent: false,
    systemPrompt: '',
    systemPromptOverride: false,
    // What it costs there is the caller's own, and so is what his account keeps.
    allowSurcharges: true,
    sharedContext: true,
    deadlines: {},
    costRatio: 0,
    headers: {},
  },
  paramOverride: null,
  priority: 0,
  weight: 0,
  autoBan: true,
  maxInputTokens: 0,
  testModel: '',
  tag: '',
});
