/** What an answer owes that was refused, or of which all was kept back. */
import type { ToolUses } from '../../core/price-formula.ts';
import { completionTokens, type Usage } from '../../core/usage.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { billAt } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { tellsNothing } from './plausible.ts';
import { isChat } from './weigh.ts';

export interface Refused {
  request: Pick<RelayRequest, 'operation'>;
  channel: Pick<RoutedChannel, 'type' | 'baseUrl'>;
  /** Some of what came is known to count as output. */
  hasOutput: boolean;
  /** As it was told. */
  usage: Usage | null;
  /** It came to its end while its caller was there, and what is told is believed. */
  isBelieved: boolean;
  /** Uses of tools that are told or shown. */
  uses: ToolUses | undefined;
  /** Its vendor's word for why, where he has one and nothing came, known or not. */
  refusedFor: string | null | undefined;
}

/** What any answer does; the tokens that are told and no call; or nothing at any price. */
export type Owed = 'all' | 'tokens' | 'nothing';

/**
 * Of what was filtered its vendor may leave the shape, and tell tokens of what he has kept back, which is no call to pay for.
 * What counts as output is, and so is what was thought about all the same: callers choose what is filtered, and may read from
 * that what was thought. By the token it costs what is told, since vendors bill what they have read, but where this one is
 * known to bill nobody for what he has refused before anything was written.
 */
export function owedByRefused(refused: Refused): Owed {
  const { request, channel, hasOutput, usage } = refused;
  const isThought = isChat(request) && usage !== null && usage.reasoning > 0 && !tellsNothing(usage, channel);
  if (hasOutput || isThought) return 'all';
  return isForNothing(refused) ? 'nothing' : 'tokens';
}

/** Some tell a token or so of an answer in which nothing was written. */
const BEGINS_WITH = 4;

function isForNothing({ channel, usage, isBelieved, uses, refusedFor }: Refused): boolean {
  if (refusedFor === undefined || usage === null || !isBelieved) return false;
  const isWritten = completionTokens(usage) > BEGINS_WITH;
  const isUsed = Object.values(uses ?? {}).some((count) => count > 0);
  return !isWritten && !isUsed && billAt(channel).freeRefusals?.has(refusedFor) === true;
}
