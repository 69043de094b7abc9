/** Which channels can be asked for a request at all: it is refused before any charge where none can. */
import { fail } from '../../core/errors.ts';
import { convertsTo } from '../../dialects/plain/passage.ts';
import { codecOf, wireOf } from '../../dialects/registry.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { Provider } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';

/** True when the provider serves the operation in a dialect that the caller's can become. */
function isServed(provider: Provider, { operation, dialect }: RelayRequest): boolean {
  const spoken = provider.speaks[operation];
  if (spoken?.includes(dialect)) return true;
  if (operation !== 'chat') return spoken?.some((other) => convertsTo(dialect, other)) ?? false;
  if (!codecOf(dialect.id)) return false;
  return provider.wire !== undefined || (spoken?.some(({ id }) => wireOf(id)) ?? false);
}

/** True when the channel's provider serves this operation in a dialect that the caller's can become. */
function speaks(channel: RoutedChannel, request: RelayRequest): boolean {
  const provider = findProvider(channel.type);
  return provider !== undefined && isServed(provider, request);
}

/** Four bytes a token is about right for most texts; the bound of the reservation would keep callers out for nothing. */
const roughTokens = ({ facts: { prompt } }: RelayRequest): number =>
  Math.ceil((prompt.textBytes + (prompt.tools?.bytes ?? 0)) / 4);

/** True when the prompt is none that its operator keeps from the channel for its length. */
const hasRoom = ({ maxInputTokens }: RoutedChannel, request: RelayRequest): boolean =>
  maxInputTokens === 0 || roughTokens(request) <= maxInputTokens;

/** True when the channel can be asked for this. */
export const serves = (channel: RoutedChannel, request: RelayRequest): boolean =>
  speaks(channel, request) && hasRoom(channel, request);

/** Throws `operation_not_supported`, or `context_length_exceeded`. */
export function checkServed(request: RelayRequest, tiers: readonly Tier[]): void {
  if (!tiers.some(({ channels }) => channels.some((channel) => speaks(channel, request)))) {
    throw fail('operation_not_supported');
  }
  checkRoom(request, tiers);
}

/** Throws `context_length_exceeded` where all that speak the request's words, or all where none does, take less. */
export function checkRoom(request: RelayRequest, tiers: readonly Tier[]): void {
  if (
    tiers.some(({ channels }) =>
      channels.some((channel) => hasRoom(channel, request) && speaks(channel, request)),
    )
  ) {
    return;
  }
  const channels = tiers.flatMap((tier) => tier.channels);
  const speaking = channels.filter((channel) => speaks(channel, request));
  const asked = speaking.length > 0 ? speaking : channels;
  if (asked.length === 0 || asked.some((channel) => hasRoom(channel, request))) return;
  const tokens = Math.max(...asked.map(({ maxInputTokens }) => maxInputTokens));
  throw fail('context_length_exceeded', { params: { tokens } });
}
