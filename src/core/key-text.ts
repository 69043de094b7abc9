/** Texts that are keys, or pieces of them: how much of one may be shown, and stand in an address. */

/** What a key looks like without `sk-`; nothing else is ever looked up. */
export const isRelayKey = (text: string): boolean => /^[A-Za-z0-9]{48}$/.test(text);

const KEY_HEAD = 'sk-';

/** A whole relay key, as clients send it. An access token may begin like one, and is never as long. */
export const isRelayBearer = (text: string): boolean =>
  text.startsWith(KEY_HEAD) && isRelayKey(text.slice(KEY_HEAD.length));

/** How many letters of a key are shown at its ends. */
export const HINT_HEAD = 4;
export const HINT_TAIL = 3;

/** What may be shown of a key: `Ab3d…9f2`. */
export const maskKey = (key: string): string => `${key.slice(0, HINT_HEAD)}…${key.slice(-HINT_TAIL)}`;

/**
 * What finds the tokens of a key, or of a piece of one, as well as all of it would: no more than is shown anyway. Only that
 * may stand in an address, which is kept in histories.
 */
export function soughtKey(text: string): string {
  if (text.length <= HINT_HEAD + HINT_TAIL) return text;
  if (isRelayKey(text) || text.includes('…')) return maskKey(text);
  return text.slice(0, HINT_HEAD) + text.slice(-HINT_TAIL);
}

const HEADED = /(?:^|[^A-Za-z0-9])sk-([\w…-]*)/;
/** As keys of other vendors are written, and pieces of keys: long and mixed. Ids are in hexadecimal digits and names shorter. */
const MIXED = /^(?=.*[g-z])(?=.*[A-Z])(?=.*\d).{32,}$/;

/** The key, or the piece of one, without `sk-`, in whatever it was pasted with: quotes, `Bearer`, the name of a variable. */
function keyIn(text: string): string | undefined {
  const isKey = (word: string) => isRelayKey(word) || MIXED.test(word);
  return HEADED.exec(text)?.[1] ?? text.split(/[^\w-]+/).find(isKey);
}

export const looksLikeKey = (text: string): boolean => keyIn(text) !== undefined;

/** What an address holds of a text that is searched for: of a key no more than is shown of it. */
export function soughtText(text: string): string {
  const key = keyIn(text);
  return key === undefined ? text : KEY_HEAD + soughtKey(key);
}
