/** Answers which models there are for a caller. */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import type { Dialect, ModelCards } from '../../dialects/dialect.ts';
import { openaiCards } from '../../dialects/openai-chat/model-cards.ts';
import type { RelayDeps } from '../deps.ts';
import { listed, usableModels } from './models.ts';
import { answerReader, type Pace, type Question } from './reader.ts';

/** Who asks, and in which dialect. */
export interface ModelQuestion extends Question {
  dialect: Dialect;
}

export const listModels = (question: ModelQuestion, deps: RelayDeps): Promise<Response> =>
  answer(question, deps, (cards, names) => cards.list(names.map(listed)));

export const showModel = (question: ModelQuestion, model: string, deps: RelayDeps): Promise<Response> =>
  answer(question, deps, (cards, names) => {
    if (!names.includes(model)) throw fail('model_not_found', { params: { model: asIs(model) } });
    return cards.card(listed(model));
  });

const PACE: Pace = { name: 'models', aMinute: limits.modelListsAMinute };

const answer = (
  question: ModelQuestion,
  deps: RelayDeps,
  render: (cards: ModelCards, names: readonly string[]) => object,
): Promise<Response> => {
  const { dialect } = question;
  return answerReader(question, { dialect, pace: PACE }, deps, async (admitted) =>
    render(dialect.modelCards ?? openaiCards, await usableModels(admitted, deps)),
  );
};
