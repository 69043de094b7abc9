/** The room of answers that wait for their readers: decision 016. */
import type { BodyBudget } from './body-budget.ts';
import type { CutList } from './cut.ts';

export interface AnswerRooms {
  /** Whole answers in memory, by user. */
  answersHeld: BodyBudget;
  /** The same by the networks of those who asked: one who has many accounts has one share of it. */
  answersByNetwork: BodyBudget;
  cut: CutList;
}

const readers = new WeakMap<Request, number>();

/** Notes whose key a list of the relay is read with. */
export const readBy = (request: Request, userId: number): void => void readers.set(request, userId);

export const readerOf = (request: Request): number | undefined => readers.get(request);
