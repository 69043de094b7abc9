/** A channel's `param_override` over the body that goes upstream. What was priced and reserved stays as it was. */
import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { CONTAINERS } from '../../../dialects/body-rules.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { namesOf } from '../../../dialects/gateway-fields.ts';
import type { Passage } from '../../../dialects/passage.ts';
import { folded } from '../../../dialects/spelling.ts';
import { isUnasked, protectedIn } from '../../../modules/channel/fields.ts';
import type { Provider } from '../../../providers/provider.ts';
import { vendorAt } from '../../../providers/registry.ts';

/** Objects in which wires keep what others have at the top. */
const IN_OBJECTS: ReadonlySet<string> = new Set(CONTAINERS.map(folded));

/** What such objects say of limits and models. */
const LIMITS = namesOf(({ fixed }) => fixed === 'inside' || fixed === 'both');
const isLimit = (name: string): boolean => LIMITS.has(folded(name));

/**
 * In whose words a channel's fields are put. Behind an operator's own address anybody may be, who takes others beside those
 * of his wire from callers who speak it, and from the channel.
 */
export const wordsAt = (
  {
    provider,
    channel: { baseUrl },
    passage,
  }: { provider: Provider; channel: { baseUrl: string }; passage: Passage },
  { dialect }: { dialect: { id: string } },
): Pick<SpokenDialect, 'inOwnWords'> =>
  passage.upstream.id === dialect.id && vendorAt(provider, baseUrl) === null ? {} : passage.upstream;

/** The body in the words of a dialect, with a channel's fields and without those of them that do nothing there. */
export function withFields(
  body: JsonObject,
  overrides: Readonly<JsonObject>,
  dialect: Pick<SpokenDialect, 'inOwnWords'>,
): { body: JsonObject; leftOut: readonly string[] } {
  const { fields, leftOut } = dialect.inOwnWords?.(overrides, body) ?? { fields: overrides, leftOut: [] };
  return { body: overridden(body, fields), leftOut: [...protectedIn(overrides), ...leftOut] };
}

/** The body, changed in place: top-level fields are replaced, except for the model, the stream and the limits. */
export function overridden(body: JsonObject, fields: Readonly<JsonObject>): JsonObject {
  // Looked at here too, because rows may be older than the form's rule.
  const left = protectedIn(fields);
  for (const [name, value] of Object.entries(fields)) {
    if (left.includes(name)) continue;
    if (isUnasked(name, value)) {
      delete body[name];
    } else if (!IN_OBJECTS.has(folded(name))) {
      body[name] = value;
    } else {
      const known = Object.keys(body).find((field) => folded(field) === folded(name));
      body[known ?? name] = withoutLimits(value, body[known ?? name]);
    }
  }
  return body;
}

/** The new value with the limits of the old one in place of its own. */
function withoutLimits(value: JsonObject[string], before: JsonObject[string]): Json {
  if (!isObject(value)) return value ?? null;
  const old = isObject(before) ? (before as JsonObject) : {};
  const kept: JsonObject = {};
  for (const [name, inner] of Object.entries(value as JsonObject)) {
    if (!isLimit(name)) kept[name] = withoutLimits(inner, old[name]);
  }
  for (const [name, inner] of Object.entries(old)) if (isLimit(name)) kept[name] = inner;
  return kept;
}
