/** How long schemas are at whichever channel a call may go to: so much is held, and believed of what is told. */
import { AppError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { isGemini, isMakers, plainName } from '../../../core/model-families.ts';
import type { JsonSize } from '../../../core/text-tokens.ts';
import type { ChatCodec, Schemas } from '../../../dialects/codec.ts';
import type { DialectId } from '../../../dialects/dialect.ts';
import { checkSize, moreIn, SchemaSizes, schemaFields } from '../../../dialects/references.ts';
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
  const { facts, dialect, body } = request;
  const codec = codecOf(dialect.id);
  if (!codec) return request;
  const fields = schemaFields(body);
  const more = moreIn(fields);
  if (!more) return request;
  const upstreams = upstreamsOf(facts.model, tiers, modelOptions(options).upstreamOf);
  const writers = distinct(upstreams)
    .flatMap((upstream) => writerAt(upstream, request, options) ?? [])
    .filter(({ copies }) => more === 'references' || copies);
  if (writers.length === 0) return request;
  const sizes = sizesBy(writers, fields, () => schemasOf(request, codec));
  const most = (kind: keyof JsonSize) =>
    Math.max(facts.prompt.tools?.[kind] ?? 0, ...sizes.map((size) => size[kind]));
  const tools = { bytes: most('bytes'), tokens: most('tokens') };
  return { ...request, facts: { ...facts, prompt: { ...facts.prompt, tools } } };
}

/** Who writes schemas for a model that takes no references. */
interface Writer {
  /** It is a gateway, which may look for schemas where the wire has none. */
  isGateway: boolean;
  /** It asks Google, for no more than a model reads. */
  isGoogle: boolean;
  /** It copies what describes branches into each of them. */
  copies: boolean;
}

/** We, when the channel is asked. */
const OURS: Writer = { isGateway: false, isGoogle: false, copies: false };

const isGeminis = ({ requested, model }: Upstream): boolean =>
  [requested, model].some((name) => isGemini(plainName(name)));

/** Wires that gateways speak. They put references in as they like, for models of Google's and of others. */
const OF_GATEWAYS: ReadonlySet<DialectId> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
]);

/** Undefined where schemas pass as they came to who made the model. */
function writerAt(
  upstream: Upstream,
  request: RelayRequest,
  options: RelayDeps['options'],
): Writer | undefined {
  const way = wayAhead(upstream, request, options);
  const wire = way?.dialect?.id;
  const isSame = !way?.passage.converted || way.dialect === request.dialect;
  if (!isSame && wire && wireOf(wire)?.putsReferencesIn) return OURS;
  const isGoogle = isGeminis(upstream);
  const speaksGateways = wire !== undefined && OF_GATEWAYS.has(wire);
  const { baseUrl } = upstream.channel;
  const isElsewhere = way && baseUrl !== '' && baseUrl !== way.provider.baseUrl;
  if (!isGoogle && !(isElsewhere && speaksGateways)) return undefined;
  // Whom it asks for what its operator has named nobody knows.
  const copies = speaksGateways && (isGoogle || !isMakers(plainName(upstream.model)));
  return { isGateway: true, isGoogle, copies };
}

/** What schemas mean that no model reads whole: a gateway may ask one for it that takes references as they are. */
const MOST: JsonSize = { bytes: limits.schemaChars, tokens: limits.schemaChars / 4 };

/** Throws `invalid_request` where a gateway would ask Google for more than any model reads. */
function sizesBy(writers: readonly Writer[], fields: JsonObject, schemas: () => Schemas | null): JsonSize[] {
  const by = (what: keyof Writer): boolean => writers.some((writer) => writer[what]);
  const sizes = new SchemaSizes({ copies: by('copies') });
  try {
    const known = schemas();
    const all = [
      ...(known ? [sizes.ofSchemas(known)] : []),
      ...(by('isGateway') ? [sizes.ofFields(fields)] : []),
    ];
    if (by('isGoogle')) all.forEach(checkSize);
    return all;
  } catch (error) {
    if (!(error instanceof AppError) || by('isGoogle')) throw error;
    // A channel of whose schemas we make copies refuses them itself when it is asked.
    return by('isGateway') ? [MOST] : [];
  }
}

/** Null where they can be read by nobody here. */
function schemasOf({ body, path }: RelayRequest, codec: ChatCodec): Schemas | null {
  try {
    return codec.readSchemas?.(body) ?? codec.readRequest(body, path);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
