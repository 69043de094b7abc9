import { formatSeconds } from '@core/money.ts';
import { useCallback } from 'react';
import { useBoot } from './page-context.ts';

/** Durations as the reader's language writes them: `12.4 s`, `2 分 5 秒`. */
export function useDuration(): (seconds: number) => string {
  const { locale } = useBoot();
  return useCallback((seconds) => formatSeconds(seconds, locale), [locale]);
}
