import { countTokens } from '../../src/relay/charge/tokens.ts';
import { until } from './waits.ts';

/** Whoever has something counted. */
export const ANYBODY = { userId: 1 };

/** Models whose tokens are counted by one table each; others are weighed. */
const MODELS = ['gpt-4o', 'gpt-4'] as const;

/**
 * Until tokens of these models are counted and no longer guessed: what waits for the tables of a tokenizer is counted
 * roughly after a while, which on a busy machine comes first.
 */
export async function tokenizerReady(...models: (typeof MODELS)[number][]): Promise<void> {
  for (const model of models) {
    // One token, of five bytes: a guess says two.
    await until(
      `tokens of ${model} are counted`,
      async () => (await countTokens(['Hello'], model, ANYBODY)) === 1,
    );
  }
}

export const allTokenizersReady = (): Promise<void> => tokenizerReady(...MODELS);
