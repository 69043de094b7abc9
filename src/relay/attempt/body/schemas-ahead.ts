/** How long schemas are at whichever channel a call may go to: so much is held, and believed of what is told. */
import { AppError } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { isGemini, plainName } from '../../../core/model-families.ts';
import type { JsonSize } from '../../../core/text-tokens.ts';
import type { Schemas } from '../../../dialects/codec.ts';
import type { DialectId } from '../../../dialects/dialect.ts';
import { checkSize, SchemaSizes, schemaFields } from '../../../dialects/references.ts';
import { codecOf, wireOf } from '../../../dialects/registry.ts';
import type { Tier } from '../../../modules/channel/model.ts';
import { type Upstream, upstreamsOf } from '../../charge/upstreams.ts';
import type { RelayDeps } from '../../deps.ts';
import type { RelayRequest } from '../../request.ts';
import { modelOptions } from './model-options.ts';
import { distinct, wayAhead } from './tools-ahead.ts';

/**
 * The request with its tools as long as they are where their references are put in. It says nothing there that it does not
 * say where they are not, so that nobody else need know.
 */
export function withSchemasSpelledOut(
  request: RelayRequest,
  tiers: readonly Tier[],
  { options }: Pick<RelayDeps, 'options'>,
): RelayRequest {
  const { facts } = request;
  if (!facts.prompt.refers) return request;
  const upstreams = upstreamsOf(facts.model, tiers, modelOptions(options).upstreamOf);
  const all = distinct(upstreams).flatMap((upstream) => putInBy(upstream, request, options) ?? []);
  const schemas = all.length === 0 ? null : schemasOf(request);
  if (!schemas) return request;
  const sizes = sizesBy(new Set<By>(all), schemas, request);
  const most = (kind: keyof JsonSize) =>
    Math.max(facts.prompt.tools?.[kind] ?? 0, ...sizes.map((size) => size[kind]));
  const tools = { bytes: most('bytes'), tokens: most('tokens') };
  return { ...request, facts: { ...facts, prompt: { ...facts.prompt, tools } } };
}

/** Who puts them in: we, when the channel is asked; a gateway that asks Google; or one that asks whomever. */
type By = 'us' | 'google' | 'gateway';

const mayAskGoogle = ({ requested, model }: Upstream): boolean =>
  [requested, model].some((name) => isGemini(plainName(name)));

/** Wires that gateways speak. They put references in as they like, for models of Google's and of others. */
const OF_GATEWAYS: ReadonlySet<DialectId> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
]);

/** Undefined where schemas pass as they came to who made the model. */
function putInBy(upstream: Upstream, request: RelayRequest, options: RelayDeps['options']): By | undefined {
  const way = wayAhead(upstream, request, options);
  const wire = way?.dialect?.id;
  const isSame = !way?.passage.converted || way.dialect === request.dialect;
  if (!isSame && wire && wireOf(wire)?.putsReferencesIn) return 'us';
  if (mayAskGoogle(upstream)) return 'google';
  const { baseUrl } = upstream.channel;
  const isElsewhere = way && baseUrl !== '' && baseUrl !== way.provider.baseUrl;
  return isElsewhere && wire && OF_GATEWAYS.has(wire) ? 'gateway' : undefined;
}

/** What schemas mean that no model reads whole: a gateway may ask one for it that takes references as they are. */
const MOST: JsonSize = { bytes: limits.schemaChars, tokens: limits.schemaChars / 4 };

/** Throws `invalid_request` where a gateway would ask for more than any model reads. */
function sizesBy(by: ReadonlySet<By>, schemas: Schemas, { body }: RelayRequest): JsonSize[] {
  const sizes = new SchemaSizes();
  try {
    const all = [
      sizes.ofSchemas(schemas),
      ...(by.has('google') || by.has('gateway') ? [sizes.ofFields(schemaFields(body))] : []),
    ];
    if (by.has('google')) all.forEach(checkSize);
    return all;
  } catch (error) {
    if (!(error instanceof AppError) || by.has('google')) throw error;
    // A channel of whose schemas we make copies refuses them itself when it is asked.
    return by.has('gateway') ? [MOST] : [];
  }
}

/** Null where they can be read by nobody here. */
function schemasOf({ dialect, body, path }: RelayRequest): Schemas | null {
  const asked = codecOf(dialect.id);
  try {
    return asked ? (asked.readSchemas?.(body) ?? asked.readRequest(body, path)) : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
