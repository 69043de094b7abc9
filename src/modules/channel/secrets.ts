/**
 * What of a channel authorises beside its keys: texts in its headers, its override and its addresses, by what they are
 * called and by what they look like. Nobody is shown them. What comes back exactly as it was shown keeps them, and they go
 * nowhere that the keys may not go.
 */
import { fail } from '../../core/errors.ts';
import { fieldWords } from '../../core/field-words.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { asIs } from '../../core/text.ts';
import { urlOf } from '../../core/url.ts';
import type { channels } from '../../db/schema/channel.ts';
import { redact } from '../../platform/logger.ts';

/** The fields of a channel that may hold such texts. */
export type SecretFields = Pick<typeof channels.$inferSelect, 'base_url' | 'setting' | 'param_override'>;

/** What stands for a secret. */
const MASK = '***';

/** What is in the names of secrets, such as `cf-aig-authorization`, `helicone-auth` or `awsSecretAccessKey`. */
const SECRET_WORDS =
  /auth|key|token|secret|passw|passphrase|pwd|cookie|credential|signature|connectionstring|bearer|jwt/;

/** The same letters in names of what is none: counts of tokens, labels of caches, people, a gateway. */
const ORDINARY_WORDS =
  /author(?!i[sz])|cachekey|keyword|keyframe|portkey|tokeni[sz]er|(?:max|min|new|stop|bad|special|budget|context|input|output|prompt|completion|reasoning|thinking|total)tokens?|tokensper(?:second|minute|hour|day)/g;

function isSecretName(name: string): boolean {
  const letters = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return SECRET_WORDS.test(letters.replace(ORDINARY_WORDS, ' '));
}

/** In addresses these are secrets, too: Azure's functions and signed addresses have them. */
const SECRET_OF_ADDRESS = /^(code|sig)$/i;

/** Where a text stands, and whether its name, or that of what it stands in, is a secret's. */
interface Place {
  path: string;
  isSecret: boolean;
}

const TOP: Place = { path: '', isSecret: false };

const within = ({ path }: Place, step: string | number, isSecret: boolean): Place => ({
  path: path === '' ? String(step) : `${path}.${step}`,
  isSecret,
});

/** What becomes of a secret. */
type Change = (secret: string, path: string) => string;

/** The same JSON with its secrets changed. */
function changedIn(value: Json, place: Place, change: Change): Json {
  if (typeof value === 'string') return changedText(value, place, change);
  if (Array.isArray(value)) {
    return value.map((held, at) => changedIn(held, within(place, at, place.isSecret), change));
  }
  return isObject(value) ? changedObject(value as JsonObject, place, change) : value;
}

function changedObject(object: JsonObject, place: Place, change: Change): JsonObject {
  const isSecret = place.isSecret && !isSchema(object);
  return Object.fromEntries(
    Object.entries(object).map(([name, held]) => {
      const inside = within(place, name, isSecret ? name !== 'type' : isSecretIn(object, name));
      return [name, held === undefined ? held : changedIn(held, inside, change)];
    }),
  );
}

/** A schema says what may be written under a name, not what was written. */
const isSchema = ({ type }: JsonObject): boolean =>
  /^(string|object|array|number|integer|boolean|null)\b/i.test(String(type));

/** Beside a value, a key is its label: what it labels is called so. */
function isSecretIn(holder: JsonObject, name: string): boolean {
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
const shownAddress = (address: string): string => changedAddress(address, TOP, masked);

const shownObject = (object: JsonObject): JsonObject => changedObject(object, TOP, masked);

/** The fields as they may be shown. */
export const shownSecrets = <F extends Partial<SecretFields>>(fields: F): F => ({
  ...fields,
  ...(fields.base_url !== undefined && { base_url: shownAddress(fields.base_url) }),
  ...(fields.setting && { setting: shownObject(fields.setting) }),
  ...(fields.param_override && { param_override: shownObject(fields.param_override) }),
});

/** The fields to store: what of the given ones comes back as it was shown is what was stored. */
export const keptSecrets = <F extends Partial<SecretFields>>(given: F, stored: SecretFields): F => ({
  ...given,
  ...(given.base_url === shownAddress(stored.base_url) && { base_url: stored.base_url }),
  ...(given.setting && { setting: keptIn(given.setting, stored.setting) }),
  ...(given.param_override && { param_override: keptIn(given.param_override, stored.param_override) }),
});

/** A secret belongs to the field that it stands in: to the field as a whole, but for headers, which are many in one. */
function keptIn(given: JsonObject, stored: JsonObject): JsonObject {
  const shown = shownObject(stored);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const held = own(stored, name);
      if (held === undefined) return [name, value];
      if (Bun.deepEquals(value, shown[name])) return [name, held];
      const areMany = name === 'headers' && isObject(value) && isObject(held);
      return [name, areMany ? keptIn(value as JsonObject, held as JsonObject) : value];
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
  changedObject(setting, TOP, into('setting'));
  changedObject(param_override, TOP, into('param_override'));
  return found;
}

/** The texts of all that authorise, also without the word for how they do. */
export const secretTexts = (fields: Partial<SecretFields>): string[] =>
  secretsIn(fields).flatMap(({ value }) => [value, value.slice(value.lastIndexOf(' ') + 1)]);

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

const again = ({ field, path }: Secret) =>
  fail('CHANNEL_SECRET_AGAIN', { params: { field: fieldWords(field), name: asIs(path) } });
