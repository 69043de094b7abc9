/** A channel's row as the wire shows it. */

import { getTableColumns, sql } from 'drizzle-orm';
import type { JsonObject } from '../../core/json.ts';
import { reasonText } from '../../core/reasons.ts';
import type { Locale } from '../../core/text.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import type { ChannelRow } from './contract.ts';
import { whyOff } from './expiry.ts';
import { protectedIn } from './fields.ts';
import { failedTest } from './health.ts';
import { shownSecrets } from './secrets.ts';

const keysOfChannel = sql`from ${channelKeys} where ${channelKeys.channel_id} = ${channels.id}`;

const counted = {
  keyHint: sql<string>`coalesce((select ${channelKeys.hint} ${keysOfChannel} order by ${channelKeys.position} limit 1), '')`,
  keyCount: sql<number>`(select count(*)::int ${keysOfChannel})`,
  keysDisabled: sql<number>`(select count(*)::int ${keysOfChannel} and ${channelKeys.status} <> 1)`,
  modelCount: sql<number>`cardinality(${channels.models})`,
};

/** Select list: the row and, of its keys, what may be shown. */
export const shownColumns = { channel: channels, ...counted };

const { models, model_mapping, status_code_mapping, setting, param_override, ...short } =
  getTableColumns(channels);

/** The same without what is long and no list shows. */
export const briefColumns = { channel: short, ...counted };

export interface Shown {
  channel: typeof channels.$inferSelect;
  keyHint: string;
  keyCount: number;
  keysDisabled: number;
  modelCount: number;
}

export type BriefRow = Omit<Shown, 'channel'> & {
  channel: Omit<
    Shown['channel'],
    'models' | 'model_mapping' | 'status_code_mapping' | 'setting' | 'param_override'
  >;
};

/** The long fields are empty; how many models there are is said all the same. */
export const briefRow = ({ channel, ...row }: BriefRow, locale: Locale): ChannelRow =>
  channelRow(
    {
      ...row,
      channel: {
        ...channel,
        models: [],
        model_mapping: {},
        status_code_mapping: {},
        setting: {},
        param_override: {},
      },
    },
    locale,
  );

/** JSON fields are texts on the wire; nothing set is the empty text. */
const jsonText = (value: JsonObject): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);

/**
 * Why it is off and why its last test failed, in the reader's words. What was kept before there were codes is told as it
 * stands.
 */
function shownInfo(info: JsonObject, locale: Locale): JsonObject {
  const [reason, failed] = [whyOff(info), failedTest(info)];
  return {
    ...info,
    ...(reason && { status_reason: reasonText(reason)[locale] }),
    ...(failed && { failed_test: { ...failed, reason: reasonText(failed.reason)[locale] } }),
  };
}

export function channelRow(
  { channel, keyHint, keyCount, keysDisabled, modelCount }: Shown,
  locale: Locale,
): ChannelRow {
  const { base_url, setting, param_override } = shownSecrets(channel);
  return {
    id: channel.id,
    type: channel.type,
    name: channel.name,
    channel_name: channel.name,
    key: '',
    key_hint: keyHint,
    key_count: keyCount,
    keys_disabled: keysDisabled,
    status: channel.status,
    openai_organization: channel.openai_organization,
    max_input_tokens: channel.max_input_tokens,
    base_url,
    private_allowed: channel.private_allowed,
    other: channel.other,
    models: channel.models.join(','),
    model_count: modelCount,
    group: channel.groups.join(','),
    model_mapping: jsonText(channel.model_mapping),
    status_code_mapping: jsonText(channel.status_code_mapping),
    setting: jsonText(setting),
    param_override: jsonText(param_override),
    override_ignored: protectedIn(channel.param_override),
    auto_ban: channel.auto_ban,
    test_model: channel.test_model,
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag,
    other_info: jsonText(shownInfo(channel.other_info, locale)),
    response_time: channel.response_time,
    test_time: channel.test_time,
    balance: channel.balance,
    balance_updated_time: channel.balance_updated_time,
    used_quota: channel.used_quota,
    multi_key_mode: channel.multi_key_mode === 'polling' ? 'polling' : 'random',
    expired_time: channel.expired_time,
    created_time: channel.created_time,
  };
}
