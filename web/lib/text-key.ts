import type zh from '../locales/zh.ts';

/** A key of the texts, for values that carry one. */
export type TextKey = keyof typeof zh;
