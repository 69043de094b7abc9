/** Reading and changing options, with the rules that bind several keys and the record of every change. */

import type { Actor } from '../../core/actor.ts';
import { type Changes, changesBetween, SECRET_CHANGED, tableChange } from '../../core/admin-actions.ts';
import { fail, type Text } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { asIs, filled, listed } from '../../core/text.ts';
import { isOptionKey, type OptionKey, optionKeys, specOf } from '../../options/registry.ts';
import { shownText, toldText } from '../../options/secret-parts.ts';
import { type Options, parseOption, type Texts } from '../../options/store.ts';
import { type AdminAction, recordAction } from '../audit-log/service.ts';
import { passkeysLost } from '../auth/service.ts';
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

/** What options are, or will be when a change is made. */
type TextOf = (key: OptionKey) => string;

function checkNeeds(textOf: TextOf, key: OptionKey): void {
  if (textOf(key).trim() !== 'true') return;
  const missing = (NEEDS[key] ?? []).filter((needed) => textOf(needed).trim() === '');
  if (missing.length > 0)
    throw fail('OPTION_NEEDS', {
      params: { key: specOf(key).label, needs: listed(missing.map((each) => specOf(each).label)) },
    });
}

const IS_NEEDED: Text = { zh: '“{needing}”已启用，不能为空', en: '“{needing}” is on and needs it' };

/** The other way round: what a switch that is on needs cannot be emptied. */
function checkNeeded(textOf: TextOf, key: OptionKey): void {
  if (textOf(key).trim() !== '') return;
  for (const [needing, needs] of Object.entries(NEEDS)) {
    if (isOptionKey(needing) && needs.includes(key) && textOf(needing).trim() === 'true') {
      const reason = filled(IS_NEEDED, { needing: specOf(needing).label });
      throw fail('OPTION_INVALID', { params: { key: specOf(key).label, reason }, data: { key } });
    }
  }
}

/**
 * A secret belongs to the place that it was given for. Answers those that have to go because their address is now empty:
 * whoever fills it in again gives them for it. Throws OPTION_SECRET_WITH_ADDRESS where one is not given again with an
 * address that leads elsewhere.
 */
function secretsWithoutPlace(before: TextOf, after: TextOf, changed: readonly OptionKey[]): OptionKey[] {
  return optionKeys.filter((secret) => {
    const { destination } = specOf(secret);
    const formedBy = (destination?.formedBy ?? []).filter(isOptionKey);
    const moved = formedBy.find((key) => changed.includes(key) && before(key) !== after(key));
    if (!destination || !moved || changed.includes(secret) || before(secret) === '') return false;
    const [from, to] = [destination.placeOf(formedBy.map(before)), destination.placeOf(formedBy.map(after))];
    // Who filled in the secret first has given it for the address that follows.
    if (from === '' || from === to) return false;
    if (to === '') return true;
    throw fail('OPTION_SECRET_WITH_ADDRESS', {
      params: { key: specOf(moved).label, secret: specOf(secret).label },
      data: { key: moved, secret },
    });
  });
}

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

/** A text for an option; null goes back to its default. */
interface OptionChange {
  key: string;
  text: string | null;
}

/**
 * Sets options, all of them or none. An empty value of a secret keeps it. One that is given for an address is given again
 * with another. Groups that are still in use go, and a host for which there are passkeys, only when that is confirmed. Throws
 * OPTION_UNKNOWN, OPTION_INVALID, OPTION_NEEDS, OPTION_GROUPS_USED, OPTION_PASSKEYS_LEFT, OPTION_SECRET_AGAIN, OPTION_SECRET_WITH_ADDRESS.
 */
export async function changeOptions(
  deps: Pick<Deps, 'options' | 'db' | 'env'>,
  actor: Actor,
  { changes, isConfirmed }: { changes: readonly OptionChange[]; isConfirmed: boolean },
): Promise<void> {
  const { options, db } = deps;
  const texts = new Map<OptionKey, string | null>();
  for (const { key, text } of changes) {
    if (!isOptionKey(key)) throw fail('OPTION_UNKNOWN', { params: { key: asIs(key) } });
    if (!(specOf(key).secret && text === '')) texts.set(key, text);
  }
  const keys = [...texts.keys()];
  const [first] = keys;
  if (!first) return;
  const after: TextOf = (key) => {
    const text = texts.get(key);
    return text === undefined ? options.text(key) : (text ?? specOf(key).print(specOf(key).default));
  };
  for (const key of keys) {
    checkNeeds(after, key);
    checkNeeded(after, key);
    if (key === 'GroupRatio' && !isConfirmed) await checkGroupsLeft(options, db, after(key));
    if (key === 'ServerAddress' && !isConfirmed) await checkPasskeysLeft(deps, after(key));
  }
  const forgotten = secretsWithoutPlace(options.text, after, keys);
  const given: Texts = {};
  const reset: OptionKey[] = [];
  for (const [key, text] of texts) {
    if (text === null) reset.push(key);
    else given[key] = text;
  }
  const record: AdminAction = {
    actor,
    action: reset.length === keys.length ? 'option.reset' : 'option.set',
    target: `option:${first}`,
    changes: Object.assign(
      {},
      ...keys.map((key) => changeOf(key, options.text(key), after(key))),
      ...forgotten.map((key) => ({ [key]: SECRET_CHANGED })),
    ),
  };
  await options.set(given, (tx) => recordAction(tx, record), [...reset, ...forgotten]);
}

/** Whoever is in a group that goes would pay as the default group does. Throws OPTION_GROUPS_USED with who that is. */
async function checkGroupsLeft(options: Options, db: Deps['db'], after: string): Promise<void> {
  // What is no table of groups is refused as such.
  parseOption('GroupRatio', after, { written: true });
  const left = parseObject(after) ?? {};
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

/** They open at no other host, and their owners may have no other way in. Throws OPTION_PASSKEYS_LEFT. */
async function checkPasskeysLeft(deps: Pick<Deps, 'options' | 'db' | 'env'>, after: string): Promise<void> {
  const lost = await passkeysLost(deps, after);
  if (lost > 0) throw fail('OPTION_PASSKEYS_LEFT', { params: { count: lost } });
}

/** The ratios of models; what they cost a call stands in ModelPrice and stays. */
const MODEL_RATIOS = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ThinkingCompletionRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
  'ImageCompletionRatio',
  'VideoRatio',
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
