/** All options. Each file declares one subject; a key stands in one file only (tested). */
import type { OptionSpec } from './define.ts';
import { operation } from './operation.ts';

export const registry = { ...operation };

export type OptionKey = keyof typeof registry;
export type OptionValue<K extends OptionKey> = (typeof registry)[K] extends OptionSpec<infer T> ? T : never;
