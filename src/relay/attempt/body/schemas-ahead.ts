/** How long schemas are at whichever channel a call may go to: so much is held, and believed of what is told. */
import { AppError } from '../../../core/errors.ts';
import { isGemini, plainName } from '../../../core/model-families.ts';
import { type JsonSize, sizeOfJson } from '../../../core/text-tokens.ts';
import type { ChatCodec, Schemas } from '../../../dialects/codec.ts';
import { measureTools } from '../../../dialects/measure.ts';
import { fieldsWithReferences, withReferences } from '../../../dialects/references.ts';
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
  const all = distinct(upstreams).flatMap((upstream) => spellingAt(upstream, request, options) ?? []);
  const schemas = all.length === 0 ? null : schemasOf(request);
  if (!schemas) return request;
  const sizes = [...new Set<Spelling>(all)].flatMap((spelling) => sizesBy(spelling, schemas, request));
  const most = (kind: keyof JsonSize) =>
    Math.max(facts.prompt.tools?.[kind] ?? 0, ...sizes.map((size) => size[kind]));
  const tools = { bytes: most('bytes'), tokens: most('tokens') };
  return { ...request, facts: { ...facts, prompt: { ...facts.prompt, tools } } };
}

/** Tools and schemas as somebody writes them. Throws `invalid_request` where that is longer than any model reads. */
type Spelling = NonNullable<ChatCodec['spelledOut']>;

const mayAskGoogle = ({ requested, model }: Upstream): boolean =>
  [requested, model].some((name) => isGemini(plainName(name)));

/**
 * That of the wire in whose words they are written. Gateways ask Google for a model of its own on whatever wire, and put
 * references in as they like. Undefined where they pass as they came.
 */
function spellingAt(
  upstream: Upstream,
  request: RelayRequest,
  options: RelayDeps['options'],
): Spelling | undefined {
  const way = wayAhead(upstream, request, options);
  const isSame = !way?.passage.converted || way.dialect === request.dialect;
  const ofWire = isSame || !way.dialect ? undefined : wireOf(way.dialect.id)?.spelledOut;
  return ofWire ?? (mayAskGoogle(upstream) ? withReferences : undefined);
}

/** None where the channel refuses them itself when it is asked: of a gateway, nobody does. */
function sizesBy(spelling: Spelling, schemas: Schemas, { body }: RelayRequest): JsonSize[] {
  try {
    const { tools: size } = measureTools(spelling(schemas));
    const sizes = size ? [size] : [];
    if (spelling !== withReferences) return sizes;
    return [...sizes, sizeOfJson([JSON.stringify(fieldsWithReferences(body))])];
  } catch (error) {
    if (error instanceof AppError && spelling !== withReferences) return [];
    throw error;
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
