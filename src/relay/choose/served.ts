/** Whether any channel of a model can be asked for a request at all: refused before any charge where none can. */
import { fail } from '../../core/errors.ts';
import type { Tier } from '../../modules/channel/model.ts';
import { hasRoom, speaks } from '../attempt/attempt.ts';
import type { RelayRequest } from '../request.ts';

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
