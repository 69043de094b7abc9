/** The headers that Anthropic's wire has beside the key. */
import { own } from '../core/own.ts';
import { cheapBetas } from '../dialects/anthropic-messages/betas.ts';
import { type TakenBetas, takenOf } from './claude-clouds.ts';
import type { UpstreamCall } from './provider.ts';

export const ANTHROPIC_VERSION = '2023-06-01';

/**
 * The version and the betas that the caller asks for, as far as he may and a cloud of others takes them, and what the
 * operator sets for the model, which wins.
 */
export function messagesHeaders(
  { headers, requested, settings }: Pick<UpstreamCall, 'headers' | 'requested' | 'settings'>,
  taken?: TakenBetas,
): Record<string, string> {
  const cheap = cheapBetas(headers.get('anthropic-beta'));
  const beta = taken ? takenOf(cheap, taken) : cheap;
  return {
    'anthropic-version': headers.get('anthropic-version') ?? ANTHROPIC_VERSION,
    ...(beta ? { 'anthropic-beta': beta } : {}),
    ...setHeaders(settings, requested),
  };
}

/** Names in lower case; several values of one header are one list. */
function setHeaders({ claudeHeaders }: UpstreamCall['settings'], model: string): Record<string, string> {
  const set = own(claudeHeaders, model) ?? {};
  return Object.fromEntries(
    Object.entries(set).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : value.join(','),
    ]),
  );
}
