import type zh from '../locales/zh.ts';

/** A key of the texts, for values that carry one. Plural keys are asked for without their ending. */
export type TextKey = keyof typeof zh;
