/** Reading and changing options, with the rules that bind several keys and the record of every change. */

import type { Actor } from '../../core/actor.ts';
import { type Changes, changesBetween, SECRET_CHANGED, tableChange } from '../../core/admin-actions.ts';
import { fail, type Text } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { asIs, filled, listed } from '../../core/text.ts';
import { DEFAULT_GROUP } from '../../options/checks.ts';
import { isOptionKey, type OptionKey, optionKeys, specOf } from '../../options/registry.ts';
import { shownText, toldText } from '../../options/secret-parts.ts';
import type { Options } from '../../options/store.ts';
import { type AdminAction, recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { groupNames, groupsInUse } from '../group/service.ts';

export interface OptionRow {
  key: OptionKey;
  /** Secrets in it are empty. */
  value: string;
  /** True when the operator has set it. */
  is_set: boolean;
}

export const listOptions = (options: Options): OptionRow[] =>
  optionKeys.map((key) => ({
    key,
    value: shownText(specOf(key), options.text(key)),
    is_set: options.isSet(key),
  }));

/** A switch that would do nothing, or harm, until these are set. */
const NEEDS: Partial<Record<OptionKey, readonly OptionKey[]>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  GoogleOAuthEnabled: ['GoogleClientId', 'GoogleClientSecret'],
  LinuxDOOAuthEnabled: ['LinuxDOClientId', 'LinuxDOClientSecret'],
  TelegramOAuthEnabled: ['TelegramBotName', 'TelegramBotToken'],
  WeChatAuthEnabled: ['WeChatServerAddress', 'WeChatServerToken'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey', 'TurnstileVerifyURL'],
  'oidc.enabled': [
    'oidc.client_id',
    'oidc.client_secret',
    'oidc.authorization_endpoint',
    'oidc.token_endpoint',
    'oidc.user_info_endpoint',
  ],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
};

function checkNeeds(options: Options, key: OptionKey, text: string): void {
  if (text.trim() !== 'true') return;
  const missing = (NEEDS[key] ?? []).filter((needed) => options.text(needed).trim() === '');
  if (missing.length > 0)
    throw fail('OPTION_NEEDS', {
      params: { key: specOf(key).label, needs: listed(missing.map((each) => specOf(each).label)) },
    });
}

const IS_NEEDED: Text = { zh: '“{needing}”已启用，不能为空', en: '“{needing}” is on and needs it' };

/** The other way round: what a switch that is on needs cannot be emptied. */
function checkNeeded(options: Options, key: OptionKey, text: string): void {
  if (text.trim() !== '') return;
  for (const [needing, needs] of Object.entries(NEEDS)) {
    if (isOptionKey(needing) && needs.includes(key) && options.get(needing) === true) {
      const reason = filled(IS_NEEDED, { needing: specOf(needing).label });
      throw fail('OPTION_INVALID', { params: { key: specOf(key).label, reason }, data: { key } });
    }
  }
}

/**
 * A key belongs to the place that it was given for: one that is stored goes when its address leads elsewhere, and has to
 * be given again. Options are changed one at a time, so it cannot be asked for with the address.
 */
const KEY_OF: Partial<Record<OptionKey, OptionKey>> = { PayAddress: 'EpayKey' };

/** The key that would be used at another place than before; none where it was given before there was an address. */
function keyLeftBehind(options: Options, key: OptionKey, after: string): OptionKey[] {
  const left = KEY_OF[key];
  const before = options.text(key).trim();
  if (!left || options.text(left) === '' || before === '') return [];
  return originOf(before) === originOf(after.trim()) ? [] : [left];
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : '');

/** What the record says of a new text: of tables entry by entry, of a secret that it is another one. */
function changeOf(key: OptionKey, before: string, after: string): Changes {
  if (specOf(key).secret) return { [key]: SECRET_CHANGED };
  const told = [shownText(specOf(key), before), toldText(specOf(key), after)] as const;
  const [old, next] = [tableOf(key, told[0]), tableOf(key, told[1])];
  if (!old || !next) return changesBetween({ [key]: told[0] }, { [key]: told[1] });
  return tableChange(key, old, next);
}

const tableOf = (key: OptionKey, text: string): JsonObject | undefined =>
  specOf(key).kind === 'json' ? parseObject(text) : undefined;

/**
 * Sets one option; null goes back to its default, and an empty value of a secret keeps it. An address that leads elsewhere
 * leaves its key behind. Groups that are still in use go only when that is confirmed. Throws OPTION_UNKNOWN,
 * OPTION_INVALID, OPTION_NEEDS, OPTION_GROUPS_USED, OPTION_SECRET_AGAIN.
 */
export async function changeOption(
  { options, db }: Pick<Deps, 'options' | 'db'>,
  actor: Actor,
  { key, text, isConfirmed }: { key: string; text: string | null; isConfirmed: boolean },
): Promise<void> {
  if (!isOptionKey(key)) throw fail('OPTION_UNKNOWN', { params: { key: asIs(key) } });
  if (specOf(key).secret && text === '') return;
  const after = text ?? specOf(key).print(specOf(key).default);
  checkNeeds(options, key, after);
  checkNeeded(options, key, after);
  if (key === 'GroupRatio' && !isConfirmed) await checkGroupsLeft(options, db, after);
  const forgotten = keyLeftBehind(options, key, after);
  const record: AdminAction = {
    actor,
    action: text === null ? 'option.reset' : 'option.set',
    target: `option:${key}`,
    changes: {
      ...changeOf(key, options.text(key), after),
      ...Object.fromEntries(forgotten.map((each) => [each, SECRET_CHANGED])),
    },
  };
  if (text === null) await options.reset([key, ...forgotten], (tx) => recordAction(tx, record));
  else await options.set({ [key]: text }, (tx) => recordAction(tx, record), forgotten);
}

/** Whoever is in a group that goes would pay as the default group does. Throws OPTION_GROUPS_USED with who that is. */
async function checkGroupsLeft(options: Options, db: Deps['db'], after: string): Promise<void> {
  const left = parseObject(after);
  // What is no table of groups is refused as such.
  if (!left || !Object.hasOwn(left, DEFAULT_GROUP)) return;
  const gone = groupNames(options).filter((name) => !Object.hasOwn(left, name));
  const used = await groupsInUse(db.orm, gone);
  if (used.length === 0) return;
  const told = (locale: keyof Text) =>
    used
      .map(({ group, users, tokens, channels }) =>
        locale === 'zh'
          ? `${group}（用户 ${users}，令牌 ${tokens}，渠道 ${channels}）`
          : `${group} (${users} users, ${tokens} tokens, ${channels} channels)`,
      )
      .join(locale === 'zh' ? '、' : ', ');
  throw fail('OPTION_GROUPS_USED', {
    params: { groups: { zh: told('zh'), en: told('en') } },
    data: { groups: used },
  });
}

/** The ratios of models; what they cost a call stands in ModelPrice and stays. */
const MODEL_RATIOS = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
] as const satisfies readonly OptionKey[];

/** Puts the ratios of all models back to the dated default table. */
export async function resetModelRatios({ options }: Pick<Deps, 'options'>, actor: Actor): Promise<void> {
  const changes = Object.assign(
    {},
    ...MODEL_RATIOS.map((key) => changeOf(key, options.text(key), specOf(key).print(specOf(key).default))),
  );
  await options.reset(MODEL_RATIOS, (tx) =>
    recordAction(tx, {
      actor,
      action: 'option.reset_ratios',
      target: 'option:ModelRatio',
      changes,
    }),
  );
}
