/** How long schemas are at whichever channel a call may go to: so much is held, and believed of what is told. */
import { AppError } from '../../../core/errors.ts';
import type { JsonSize } from '../../../core/text-tokens.ts';
import { measureTools } from '../../../dialects/measure.ts';
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
  const wires = new Set<Wire>(distinct(upstreams).map((upstream) => wireAt(upstream, request, options)));
  const sizes = [...wires].flatMap((wire) => sizeIn(wire, request) ?? []);
  if (sizes.length === 0) return request;
  const most = (kind: keyof JsonSize) =>
    Math.max(facts.prompt.tools?.[kind] ?? 0, ...sizes.map((size) => size[kind]));
  const tools = { bytes: most('bytes'), tokens: most('tokens') };
  return { ...request, facts: { ...facts, prompt: { ...facts.prompt, tools } } };
}

type Wire = ReturnType<typeof wireOf>;

/** The wire in whose words it is written; undefined where it passes as it came. */
function wireAt(upstream: Upstream, request: RelayRequest, options: RelayDeps['options']): Wire {
  const way = wayAhead(upstream, request, options);
  const isSame = !way?.passage.converted || way.dialect === request.dialect;
  return isSame || !way.dialect ? undefined : wireOf(way.dialect.id);
}

/** Undefined where they are no longer than they came, or are refused when the channel is asked. */
function sizeIn(wire: Wire, { dialect, body, path }: RelayRequest): JsonSize | undefined {
  const asked = codecOf(dialect.id);
  if (!wire?.spelledOut || !asked) return undefined;
  try {
    const schemas = asked.readSchemas?.(body) ?? asked.readRequest(body, path);
    return measureTools(wire.spelledOut(schemas)).tools;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
