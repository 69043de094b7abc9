/** Reads a whole answer. */
import { parseJson } from '../../core/json.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import type { RanIn } from '../../dialects/containers.ts';
import type { PassedReply } from '../../dialects/passage.ts';
import { containersIn, type Drawing, drawingIn, toolUsesIn } from '../../dialects/tool-uses.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { billAt } from '../../providers/registry.ts';
import { failureOfAnswer, failureOfTransport, type Outcome } from './outcome.ts';
import { answerTo, hiddenOf, mayTellUses, type Prepared } from './prepared.ts';

export function readPlain(text: string, prepared: Prepared): Outcome {
  const { provider, passage } = prepared;
  const body = parseJson(passage.known?.(text) ?? text);
  if (body === undefined) return readText(text, prepared);
  const told = provider.readAnswerError?.(body);
  if (told) return failureOfAnswer({ ...told.error, status: told.status }, hiddenOf(prepared));
  const outcome = plainOutcome(passage.reply(text, body), prepared);
  if (!mayTellUses(prepared)) return outcome;
  const uses = toolUsesIn(body, billAt(prepared.candidate.channel));
  return withUses(outcome, uses, drawingIn(body), containersIn(body));
}

export const withUses = (
  outcome: Outcome,
  tools: ToolUses,
  drawing: Drawing | undefined,
  containers: readonly RanIn[],
): Outcome => (outcome.kind === 'plain' ? { ...outcome, tools, drawing, containers } : outcome);

/** An answer that is no JSON: subtitles, where they were asked for; anything else is a mistake. */
function readText(text: string, prepared: Prepared): Outcome {
  const isText = text.trim() !== '' && !text.trimStart().startsWith('<');
  const { passage } = prepared;
  const facts = isText ? passage.upstream.readText?.(text) : undefined;
  const shown = passage.text?.(text) ?? text;
  if (facts) return plainOutcome({ facts, text: shown }, prepared, 'text/plain; charset=utf-8');
  return failureOfTransport(text.trim() === '' ? 'empty' : 'malformed');
}

export function plainOutcome(
  answer: PassedReply,
  prepared: Prepared,
  contentType = 'application/json',
): Outcome {
  const { error, usage } = answer.facts;
  if (error) return failureOfAnswer(error, hiddenOf(prepared));
  if (usage) failpoint('at_usage');
  const { facts, text, counted } = answer;
  return { kind: 'plain', facts, text, contentType, counted, ...answerTo(prepared) };
}
