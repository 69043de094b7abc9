/**
 * Options that are secret in part: tables in which each row has a key. They rest sealed as a whole, and are shown with
 * an empty text in the place of each secret. What is written back with such an empty text keeps the secret.
 */
import { SECRET_CHANGED } from '../core/admin-actions.ts';
import { fail } from '../core/errors.ts';
import { asIs } from '../core/text.ts';
import { type OptionSpec, readText, type WritePart } from './define.ts';

/** Whether it rests sealed. */
export const isSealed = ({ secret, parts }: OptionSpec<unknown>): boolean => secret || parts !== undefined;

/** A text of the option with `write` in the place of each secret; one that cannot be read as it is. */
function rewritten<T>(spec: OptionSpec<T>, text: string, write: WritePart): string {
  const read = spec.parts ? readText(spec, text) : null;
  return read?.ok && spec.parts ? spec.print(spec.parts(read.value, write)) : text;
}

/** What may be sent of an option's text. */
export const shownText = (spec: OptionSpec<unknown>, text: string): string =>
  spec.secret ? '' : rewritten(spec, text, () => '');

/** A text that is written now, as the record of changes tells it: of a new secret only that it is another one. */
export const toldText = (spec: OptionSpec<unknown>, text: string): string =>
  rewritten(spec, text, (secret) => (secret === '' ? '' : SECRET_CHANGED));

/**
 * A text that is written now, with the secrets that it keeps of what was `before`. Throws OPTION_SECRET_AGAIN where one
 * would go elsewhere than it was given for.
 */
export function withKeptSecrets(spec: OptionSpec<unknown>, text: string, before: string): string {
  const kept = new Map<string, { secret: string; place: string }>();
  rewritten(spec, before, (secret, at, place) => {
    kept.set(at, { secret, place });
    return secret;
  });
  return rewritten(spec, text, (secret, at, place) => {
    const old = kept.get(at);
    if (secret !== '' || !old) return secret;
    if (old.secret !== '' && old.place !== place) {
      throw fail('OPTION_SECRET_AGAIN', { params: { key: spec.label, at: asIs(at) } });
    }
    return old.secret;
  });
}
