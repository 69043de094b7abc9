/** What counts as now and in which zone: the server's answer until the browser has taken over, then the browser's. */

import { nowSec } from '@core/time.ts';
import type { TimeRules } from '@core/time-text.ts';
import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';
import { useBoot } from './page-context.ts';

const TICK_MS = 30_000;

let present = 0;
const listeners = createListeners();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  const unlisten = listeners.add(listener);
  timer ??= setInterval(() => {
    present = nowSec();
    listeners.tell();
  }, TICK_MS);
  return () => {
    unlisten();
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

function readNow(): number {
  if (present === 0) present = nowSec();
  return present;
}

/** Unix seconds, renewed every half minute. */
export function useNow(): number {
  const { now } = useBoot();
  return useSyncExternalStore(subscribe, readNow, () => now);
}

const never = () => () => {};
/** Of `Intl` a browser's first question takes it 13 ms, and a slow one's several times as long. */
export const browserZone = (): string =>
  typeof Temporal === 'undefined'
    ? Intl.DateTimeFormat().resolvedOptions().timeZone
    : Temporal.Now.timeZoneId();

export function useTimeRules(): TimeRules {
  const { locale, preferences } = useBoot();
  const timeZone = useSyncExternalStore(never, browserZone, () => preferences.timeZone);
  return { locale, timeZone };
}
