/** Answers which models there are for a caller. */
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import type { Dialect, ModelCards } from '../../dialects/dialect.ts';
import { openaiCards } from '../../dialects/openai-chat/model-cards.ts';
import { readBy } from '../../platform/answer-room.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import type { RelayDeps } from '../deps.ts';
import { authenticate } from './admit.ts';
import { listed, usableModels } from './models.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';

/** Who asks, and in which dialect. */
export interface ModelQuestion {
  request: Request;
  ip: string;
  /** Of the address. */
  key: string | null;
  dialect: Dialect;
}

export const listModels = (question: ModelQuestion, deps: RelayDeps): Promise<Response> =>
  answer(question, deps, (cards, names) => cards.list(names.map(listed)));

export const showModel = (question: ModelQuestion, model: string, deps: RelayDeps): Promise<Response> =>
  answer(question, deps, (cards, names) => {
    if (!names.includes(model)) throw fail('model_not_found', { params: { model: asIs(model) } });
    return cards.card(listed(model));
  });

async function answer(
  { request, ip, key, dialect }: ModelQuestion,
  deps: RelayDeps,
  render: (cards: ModelCards, names: readonly string[]) => object,
): Promise<Response> {
  const report = startReport(request, ip, deps);
  try {
    const admitted = await authenticate({ headers: request.headers, ip, key }, deps);
    readBy(request, admitted.caller.userId);
    const body = render(dialect.modelCards ?? openaiCards, await usableModels(admitted, deps));
    report.ended({ status: 200, userId: admitted.caller.userId });
    return Response.json(body, { headers: answerHeaders(report.id, dialect) });
  } catch (thrown) {
    return refusal(thrown, dialect, report, deps);
  }
}
