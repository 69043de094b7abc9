/** What upstreams say of tasks, made fit for the tasks' owners. */
import type { Json } from '../../core/json.ts';
import type { TaskNews } from '../../core/tasks.ts';
import type { TaskWire } from '../../providers/provider.ts';
import { wordsForCallers } from './outcome.ts';
import { tellsOfAccount } from './upstream-words.ts';

/** Empty for what is about the operator's own account with the upstream. */
export const taskWords = (text: string, hidden: readonly string[]): string =>
  tellsOfAccount(text) ? '' : wordsForCallers(text, hidden);

/** A value with what stands under these names, however deep, as `clean` gives it. */
export function withWords(value: Json, names: readonly string[], clean: (text: string) => string): Json {
  if (typeof value !== 'object' || value === null || names.length === 0) return value;
  if (Array.isArray(value)) return value.map((one) => withWords(one, names, clean));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, held]): [string, Json][] => {
      if (held === undefined) return [];
      return [
        [
          name,
          typeof held === 'string' && names.includes(name) ? clean(held) : withWords(held, names, clean),
        ],
      ];
    }),
  );
}

/** A prompt in what an upstream tells may well speak of accounts: only why something failed is judged by that. */
export function cleanedNews(news: TaskNews, { words = [] }: TaskWire, hidden: readonly string[]): TaskNews {
  const clean = (text: string) => wordsForCallers(text, hidden);
  return {
    ...news,
    failReason: taskWords(news.failReason, hidden),
    data: news.data === null ? null : withWords(news.data, words, clean),
  };
}
