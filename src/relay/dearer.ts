/** Fields by which a caller would be served dearer, or by another model, than what the call is priced as. */
import type { JsonObject } from '../core/json.ts';
import type { RelayRequest } from './request.ts';

/** The values that cost no more than usual; every other one is left out. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  // OpenAI's priority costs about twice as much.
  service_tier: ['auto', 'default', 'flex', 'standard', 'standard_only'],
  // Anthropic's fast answers cost several times as much.
  speed: ['standard'],
  // OpenRouter goes on to other models, or adds services that it charges for.
  models: [],
  route: [],
  plugins: [],
};

/** Google's wire, which is read in both, has one of them, too. */
const SPELLED = Object.entries({ ...FIELDS, serviceTier: FIELDS.service_tier ?? [] });

/** The body without such fields, and their names. */
export function withoutDearer(
  body: JsonObject,
  { operation }: Pick<RelayRequest, 'operation'>,
): { body: JsonObject; dropped: readonly string[] } {
  if (operation !== 'chat' && operation !== 'completions') return { body, dropped: [] };
  const dropped = SPELLED.flatMap(([name, usual]) => {
    const value = body[name];
    const said = typeof value === 'string' ? value.toLowerCase() : value;
    return said === undefined || said === null || usual.includes(said) ? [] : [name];
  });
  if (dropped.length === 0) return { body, dropped };
  return {
    body: Object.fromEntries(Object.entries(body).filter(([name]) => !dropped.includes(name))),
    dropped,
  };
}
