/**
 * What a channel opens of the account behind its keys: files, indexes, secrets, whose bill it is. Callers may name none of
 * it unless the account is shared. Keys that were given for less are needed again by an admin who shares it, or who has the
 * channel name it for them.
 */
import type { Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import type { channels } from '../../db/schema/channel.ts';
import { accountFieldsIn } from '../../dialects/body-rules.ts';
import { findProvider } from '../../providers/registry.ts';
import { otherLabel } from './destination.ts';
import { followMapping } from './mapping.ts';
import { readSetting } from './setting.ts';

/** What of a channel says what is opened. */
export type OpeningFields = Pick<
  typeof channels.$inferSelect,
  'type' | 'other' | 'openai_organization' | 'setting' | 'param_override' | 'models' | 'model_mapping'
>;

interface NamingFields extends Pick<OpeningFields, 'type'> {
  models: readonly string[];
  mapping: Readonly<Record<string, string>>;
}

interface Opening {
  /** What the form calls it, for a type. */
  what(type: number): Text;
  /** All that a channel opens so, by name. */
  in(channel: OpeningFields): JsonObject;
}

const SHARING = { zh: '账户共享（shared_context）', en: 'the sharing of the account (shared_context)' };
const FIELDS = {
  zh: '参数覆盖中指向上游账户内容的字段',
  en: 'fields of the parameter override that name what the account keeps',
};
const PROMPT = {
  zh: '指向上游账户文件的系统提示词',
  en: 'a system prompt that names a file of the account',
};
const MODEL = { zh: '指向上游账户内容的模型', en: 'a model that names what the account keeps' };
const ORGANIZATION = { zh: '组织 ID', en: 'the organization' };

const OPENINGS: readonly Opening[] = [
  {
    what: () => SHARING,
    in: ({ setting }) => (readSetting(setting).sharedContext ? { shared: true } : {}),
  },
  {
    what: () => FIELDS,
    in: ({ param_override }) => accountFieldsIn(param_override),
  },
  {
    what: () => PROMPT,
    in: ({ setting }) => accountFieldsIn({ system: readSetting(setting).systemPrompt }),
  },
  {
    what: otherLabel,
    in: ({ type, other }) => (findProvider(type)?.otherIsKept && other !== '' ? { other } : {}),
  },
  {
    what: () => MODEL,
    in: ({ type, models, model_mapping: mapping }) =>
      Object.fromEntries(namesOpened({ type, models, mapping }).map((name) => [name, true])),
  },
  {
    what: () => ORGANIZATION,
    // Without one, another pays as well: that which the key falls back on.
    in: ({ type, openai_organization }) =>
      findProvider(type)?.form.organization ? { openai_organization } : {},
  },
];

/** What its account keeps that a channel has callers name as models, by the names that its upstream gets. */
export function namesOpened({ type, models, mapping }: NamingFields): string[] {
  const isKept = findProvider(type)?.modelIsKept;
  if (!isKept) return [];
  const ends = followMapping(mapping);
  return [...models.map((model) => own(ends, model) ?? model), ...Object.values(ends)].filter(isKept);
}

/** What of the account is opened that was not before; null where nothing is. What is kept, or goes, opens nothing. */
export function openingMore(before: OpeningFields, after: OpeningFields): Text | null {
  const opening = OPENINGS.find((each) => {
    const opened = each.in(before);
    return Object.entries(each.in(after)).some(([name, value]) => !Bun.deepEquals(value, opened[name]));
  });
  return opening?.what(after.type) ?? null;
}
