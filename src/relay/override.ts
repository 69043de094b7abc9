/** A channel's `param_override` over the body that goes upstream. What was priced and reserved stays as it was. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isProtected } from '../modules/channel/fields.ts';

/** Objects in which wires keep what others have at the top. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'generationconfig',
  'inferenceconfig',
  'options',
  'parameters',
  'parameter',
]);

/** What such objects say of limits and models, in any spelling. */
const LIMITS: ReadonlySet<string> = new Set([
  'maxtokens',
  'maxoutputtokens',
  'maxnewtokens',
  'maxcompletiontokens',
  'numpredict',
  'candidatecount',
  'n',
  'stream',
  // Spark's word for its models.
  'domain',
]);

const bare = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Changes the body in place: top-level fields are replaced, except for the model, the stream and the limits. */
export function override(body: JsonObject, fields: Readonly<JsonObject>): void {
  for (const [name, value] of Object.entries(fields)) {
    // Looked at here too, because rows may be older than the form's rule.
    if (isProtected(name)) continue;
    if (!CONTAINERS.has(bare(name))) {
      body[name] = value;
      continue;
    }
    const known = Object.keys(body).find((field) => bare(field) === bare(name));
    body[known ?? name] = withoutLimits(value, body[known ?? name]);
  }
}

/** The new value with the limits of the old one in place of its own. */
function withoutLimits(value: JsonObject[string], before: JsonObject[string]): Json {
  if (!isObject(value)) return value ?? null;
  const old = isObject(before) ? (before as JsonObject) : {};
  const kept: JsonObject = {};
  for (const [name, inner] of Object.entries(value as JsonObject)) {
    if (!LIMITS.has(bare(name))) kept[name] = withoutLimits(inner, old[name]);
  }
  for (const [name, inner] of Object.entries(old)) if (LIMITS.has(bare(name))) kept[name] = inner;
  return kept;
}
