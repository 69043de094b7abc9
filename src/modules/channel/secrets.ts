/**
 * What of a channel authorises beside its keys: texts in its headers, its override and its addresses, by what they are
 * called and by what they look like. Nobody is shown them. What comes back exactly as it was shown keeps them, and they go
 * nowhere that the keys may not go.
 */

import { fail } from '../../core/errors.ts';
import { fieldWords } from '../../core/field-words.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../core/json.ts';
import { normalised } from '../../core/normalised.ts';
import { own } from '../../core/own.ts';
import { asIs } from '../../core/text.ts';
import { urlOf } from '../../core/url.ts';
import type { channels } from '../../db/schema/channel.ts';
import { redact } from '../../platform/logger.ts';

/** The fields of a channel that may hold such texts. */
export type SecretFields = Pick<typeof channels.$inferSelect, 'base_url' | 'setting' | 'param_override'>;

const SECRET_FIELDS = ['base_url', 'setting', 'param_override'] as const satisfies (keyof SecretFields)[];

/** What stands for a secret. */
const MASK = '***';

/** What is in the names of secrets, such as `cf-aig-authorization`, `helicone-auth` or `awsSecretAccessKey`. */
const SECRET_WORDS =
  /auth|key|token|secret|passw|passphrase|pwd|cookie|credential|signature|connectionstring|bearer|jwt/;

/** The same letters in names of what is none: counts of tokens, labels of caches, people, a gateway. */
const ORDINARY_WORDS =
  /author(?!i[sz])|cachekey|keyword|keyframe|portkey|tokeni[sz]er|maxtoken|(?:max|min|new|stop|bad|special|budget|context|input|output|prompt|completion|reasoning|thinking|total)tokens|tokensper(?:second|minute|hour|day)/g;

function isSecretName(name: string): boolean {
  const letters = normalised(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return SECRET_WORDS.test(letters.replace(ORDINARY_WORDS, ' '));
}

/** In addresses these are secrets, too: Azure's functions and signed addresses have them. */
const SECRET_OF_ADDRESS = /^(code|sig)$/i;

/** Where a text stands, and whether its name, or that of what it stands in, is a secret's. */
interface Place {
  path: string;
  name: string;
  isSecret: boolean;
  /** Whether it is a field that a schema declares: what may be written there, and not what was written. */
  isDeclared: boolean;
}

const TOP: Place = { path: '', name: '', isSecret: false, isDeclared: false };

const DECLARATIONS = /^(properties|\$defs|definitions)$/;

const within = (holder: Place, step: string | number, isSecret: boolean): Place => ({
  path: holder.path === '' ? String(step) : `${holder.path}.${step}`,
  name: String(step),
  isSecret,
  isDeclared: !holder.isSecret && DECLARATIONS.test(holder.name),
});

/** What becomes of a secret. */
type Change = (secret: string, path: string) => string;

const areHeaders = (holder: Place, name: string, value: unknown): value is JsonObject =>
  holder === TOP && name === 'headers' && isObject(value);

/**
 * The same fields with their secrets changed. They, and headers among them, are kept each for itself: what is a secret
 * there tells its own name alone, so that nobody makes it another thing by what he writes beside it.
 */
const changedFields = (fields: JsonObject, place: Place, change: Change): JsonObject =>
  changedEach(fields, (held, name) => {
    const inside = within(place, name, isSecretName(name));
    return areHeaders(place, name, held)
      ? changedFields(held, inside, change)
      : changedIn(held, inside, change);
  });

/** The same JSON with its secrets changed. */
function changedIn(value: Json, place: Place, change: Change): Json {
  if (typeof value === 'string') return changedText(value, place, change);
  if (Array.isArray(value)) {
    return value.map((held, at) => changedIn(held, within(place, at, place.isSecret), change));
  }
  if (!isObject(value)) return value;
  const object = value as JsonObject;
  return changedEach(object, (held, name) =>
    changedIn(held, within(place, name, isSecretIn(object, name, place)), change),
  );
}

const changedEach = (object: JsonObject, change: (held: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([name, held]) => [name, held === undefined ? held : change(held, name)]),
  );

/** What a schema tells of a field, other than a value that may be there. */
const OF_SCHEMA = /^(title|description|format|pattern|enum|required|\$ref|items|properties|(any|one|all)Of)$/;

/** Beside a value, a key is its label: what it labels is called so. */
function isSecretIn(holder: JsonObject, name: string, { isSecret, isDeclared }: Place): boolean {
  if (isSecret) return name !== 'type' && !(isDeclared && OF_SCHEMA.test(name));
  const label = holder.key ?? holder.name;
  if (typeof label !== 'string' || holder.value === undefined) return isSecretName(name);
  return name === 'value' ? isSecretName(label) : name !== 'key' && isSecretName(name);
}

function changedText(text: string, place: Place, change: Change): string {
  if (text === '') return text;
  if (place.isSecret || looksSecret(text) || namesSecret(text)) return change(text, place.path);
  return changedAddress(text, place, change);
}

const looksSecret = (text: string): boolean => text !== MASK && redact(text) === MASK;

/** JSON that is told as a text; a prompt may begin like it. */
const namesSecret = (text: string): boolean =>
  /^\s*[[{]/.test(text) &&
  [...text.matchAll(/"([^"]{1,100})"\s*:\s*["[{]/g)].some(([, name = '']) => isSecretName(name)) &&
  parseJson(text) !== undefined;

/** Of an address, what signs in there, and secrets of its query. A semicolon divides one, too, where a name follows. */
function changedAddress(text: string, place: Place, change: Change): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return withSignIn(text, place, change).replace(
    /([?&#;]([^=&#?;]+)=)([^&#;]*(?:;(?![^=&#?;]+=)[^&#;]*)*)/g,
    (all, head: string, spelled: string, value: string) => {
      if (value === '') return all;
      const [name = spelled] = new URLSearchParams(`${spelled}=`).keys();
      const isSecret = SECRET_OF_ADDRESS.test(name) || isSecretName(name) || looksSecret(value);
      return isSecret ? head + change(value, within(place, name, true).path) : all;
    },
  );
}

/** The password, or the name that stands alone because it is one. */
function withSignIn(address: string, { path }: Place, change: Change): string {
  const url = urlOf(address);
  if (!url || (!url.password && !url.username)) return address;
  if (url.password) url.password = change(url.password, path);
  else url.username = change(url.username, path);
  return url.href;
}

const masked: Change = () => MASK;
/** The part of an address in which nothing is masked, as the database finds it: searches look nowhere else. */
export const UNMASKED_PART = '^[^?&#;]*';

const shownAddress = (address: string): string => changedAddress(address, TOP, masked);

const shownObject = (fields: JsonObject, place: Place = TOP): JsonObject =>
  changedFields(fields, place, masked);

/** The fields as they may be shown. */
export const shownSecrets = <F extends Partial<SecretFields>>(fields: F): F => ({
  ...fields,
  ...(fields.base_url !== undefined && { base_url: shownAddress(fields.base_url) }),
  ...(fields.setting && { setting: shownObject(fields.setting) }),
  ...(fields.param_override && { param_override: shownObject(fields.param_override) }),
});

/**
 * The fields to store: what of the given ones comes back as it was shown is what was stored. Throws CHANNEL_SECRET_AGAIN
 * where it would not be shown so again.
 */
export function keptSecrets<F extends Partial<SecretFields>>(given: F, stored: SecretFields): F {
  const kept = {
    ...given,
    ...(given.base_url === shownAddress(stored.base_url) && { base_url: stored.base_url }),
    ...(given.setting && { setting: keptIn(given.setting, stored.setting) }),
    ...(given.param_override && { param_override: keptIn(given.param_override, stored.param_override) }),
  };
  const [before, after] = [shownSecrets(given), shownSecrets(kept)];
  const told = SECRET_FIELDS.find((field) => !Bun.deepEquals(before[field], after[field]));
  if (told) throw again({ field: told, path: '' });
  return kept;
}

/** A secret belongs to the field that it stands in: to the field as a whole, but for headers, which are many in one. */
function keptIn(given: JsonObject, stored: JsonObject, place: Place = TOP): JsonObject {
  const shown = shownObject(stored, place);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const held = own(stored, name);
      if (held === undefined) return [name, value];
      if (Bun.deepEquals(value, shown[name])) return [name, held];
      const areMany = areHeaders(place, name, value) && areHeaders(place, name, held);
      return [name, areMany ? keptIn(value, held, within(place, name, false)) : value];
    }),
  );
}

interface Secret {
  field: keyof SecretFields;
  /** The path to it in its field. */
  path: string;
  value: string;
}

/** All that the fields hold. */
function secretsIn({ base_url = '', setting = {}, param_override = {} }: Partial<SecretFields>): Secret[] {
  const found: Secret[] = [];
  const into =
    (field: keyof SecretFields): Change =>
    (value, path) => {
      found.push({ field, path, value });
      return value;
    };
  changedAddress(base_url, TOP, into('base_url'));
  changedFields(setting, TOP, into('setting'));
  changedFields(param_override, TOP, into('param_override'));
  return found;
}

/** The texts of all that authorise, also without the word for how they do. */
export const secretTexts = (fields: Partial<SecretFields>): string[] =>
  secretsIn(fields).flatMap(({ value }) => [value, value.slice(value.lastIndexOf(' ') + 1)]);

/** Where a secret is another one in the fields that `after` has, though both are shown alike. */
export function changedSecrets(before: Partial<SecretFields>, after: Partial<SecretFields>): string[] {
  const byPlace = (fields: Partial<SecretFields>) =>
    Map.groupBy(secretsIn(fields), ({ field, path }) => (path === '' ? field : `${field}.${path}`));
  const held = byPlace(before);
  return [...byPlace(after)]
    .filter(([place, secrets]) => held.has(place) && !Bun.deepEquals(secrets, held.get(place)))
    .map(([place]) => place);
}

/** Throws CHANNEL_SECRET_AGAIN where something is shown as a secret that is not kept there. */
export function checkNoMask(fields: Partial<SecretFields>): void {
  const masked = secretsIn(fields).find(({ value }) => value === MASK);
  if (masked) throw again(masked);
}

/**
 * Whoever leads a channel's keys elsewhere, or has them open more, gives its secrets anew, too. That of a proxy goes to the
 * proxy alone. Throws CHANNEL_SECRET_AGAIN.
 */
export function checkGivenAgain(given: Partial<SecretFields>, after: Partial<SecretFields>): void {
  const anew = new Set(secretsIn(given).map(({ value }) => value));
  const carried = secretsIn(after).find((secret) => !isProxys(secret) && !anew.has(secret.value));
  if (carried) throw again(carried);
}

const isProxys = ({ field, path }: Secret): boolean => field === 'setting' && path === 'proxy';

const again = ({ field, path }: Pick<Secret, 'field' | 'path'>) =>
  fail('CHANNEL_SECRET_AGAIN', { params: { field: fieldWords(field), name: asIs(path) } });
