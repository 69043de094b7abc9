/**
 * An answer, or a part of it, that is beyond our own bounds. It is we who stop reading: its upstream has worked and is not
 * to blame, so that what it did is charged as it was held, and nobody else is asked (decisions 014 and 016).
 */
import { AppError, fail, type Text } from './errors.ts';

const WHAT = {
  answer: { zh: '回答过大', en: 'its answer is too large' },
  frame: { zh: '流中的一段过大', en: 'a frame of its stream is too large' },
  calls: { zh: '回答中的工具调用过多', en: 'its answer makes too many tool calls' },
  waiting: { zh: '回答来得比读取更快', en: 'its answer comes faster than it is read' },
} as const satisfies Record<string, Text>;

export const tooLarge = (what: keyof typeof WHAT): AppError =>
  fail('upstream_error', { params: { reason: WHAT[what] }, isOwnBound: true });

export const isTooLarge = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.detail.isOwnBound === true;
