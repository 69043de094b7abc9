/** What of a wish to think goes up to an upstream of another dialect. */
import { canThink, thinkingOf } from '../core/thinkers.ts';
import type { RequestTarget } from './codec.ts';
import type { ChatRequest, Reasoning } from './neutral.ts';
import { saidEffort } from './openai-chat/thinking.ts';

/** `canSwitch`: the upstream has a word for thinking nothing, which it does not refuse where it says nothing new. */
export function wishedThoughts(
  { reasoning }: ChatRequest,
  target: RequestTarget,
  canSwitch: boolean,
): Reasoning | undefined {
  if (!reasoning || goesUp(reasoning, target.model, canSwitch)) return reasoning;
  target.drop('reasoning');
  return undefined;
}

/**
 * Clients that know nothing of a model leave it to think or tell it not to (Claude Code always says one of both), and most
 * services refuse every word of it at a model that cannot. Such a word goes up to those that are known to think alone. Who
 * asks a model that nobody knows for an effort or a number of tokens has chosen it for its thoughts: an answer without them
 * would be charged and not what he wanted. For what nobody knows, less is held where it is told not to think: so it must be.
 */
function goesUp(reasoning: Reasoning, model: string, canSwitch: boolean): boolean {
  const { mode, eagerness } = reasoning;
  if (eagerness !== undefined) return false;
  if (canSwitch && saidEffort(reasoning) === 'none' && thinkingOf(model) === null) return true;
  return canThink(model) ?? (mode !== 'adaptive' && mode !== 'off');
}
