/** Reads a whole answer. */
import { parseJson } from '../../core/json.ts';
import type { PassedReply } from '../../dialects/passage.ts';
import { containersIn, drawingIn, toolUsesIn } from '../../dialects/tool-uses.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { billAt } from '../../providers/registry.ts';
import type { PlainAnswer } from '../answer/answers.ts';
import { failureOfAnswer, failureOfTransport, type Outcome } from './outcome.ts';
import { answerTo, hiddenOf, mayTellUses, type Prepared } from './prepared.ts';

export function readPlain(text: string, prepared: Prepared): Outcome {
  const { provider, passage } = prepared;
  const body = parseJson(passage.known?.(text) ?? text);
  if (body === undefined) return readText(text, prepared);
  const told = provider.readAnswerError?.(body);
  if (told) return failureOfAnswer({ ...told.error, status: told.status }, hiddenOf(prepared));
  if (!mayTellUses(prepared)) return plainOutcome(passage.reply(text, body), prepared);
  const tools = toolUsesIn(body, billAt(prepared.candidate.channel));
  const ran = { tools, drawing: drawingIn(body), containers: containersIn(body) };
  return plainOutcome(passage.reply(text, body), prepared, ran);
}

/** An answer that is no JSON: subtitles, where they were asked for; anything else is a mistake. */
function readText(text: string, prepared: Prepared): Outcome {
  const isText = text.trim() !== '' && !text.trimStart().startsWith('<');
  const { passage } = prepared;
  const facts = isText ? passage.upstream.readText?.(text) : undefined;
  const shown = passage.text?.(text) ?? text;
  if (facts)
    return plainOutcome({ facts, text: shown }, prepared, { contentType: 'text/plain; charset=utf-8' });
  return failureOfTransport(text.trim() === '' ? 'empty' : 'malformed');
}

/** With what ran in it, where its wire tells that. */
export function plainOutcome(
  { facts, text, counted }: PassedReply,
  prepared: Prepared,
  { contentType = 'application/json', ...ran }: Beside = {},
): Outcome {
  const { error, usage } = facts;
  const answer: PlainAnswer = {
    kind: 'plain',
    facts,
    text,
    contentType,
    counted,
    ...ran,
    ...answerTo(prepared),
  };
  if (!error) {
    if (usage) failpoint('at_usage');
    return answer;
  }
  return { ...failureOfAnswer(error, hiddenOf(prepared)), came: answer };
}

type Beside = Partial<Pick<PlainAnswer, 'contentType' | 'tools' | 'drawing' | 'containers'>>;
