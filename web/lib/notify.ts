/** Short messages about what was done. The part that draws them is loaded with the first one. */
import { createListeners } from './listeners.ts';

export interface Notice {
  tone: 'ok' | 'plain' | 'bad';
  text: string;
  /** Of the call that failed, to be quoted. */
  requestId?: string;
  action?: { label: string; run: () => void };
}

type Listener = (notice: Notice) => void;

let listener: Listener | undefined;
const waiting: Notice[] = [];
const wakeUps = createListeners();

export function notify(notice: Notice): void {
  if (listener) listener(notice);
  else waiting.push(notice);
  wakeUps.tell();
}

/** Hands over what waited and everything to come. */
export function drainNotices(next: Listener): () => void {
  listener = next;
  for (const notice of waiting.splice(0)) next(notice);
  return () => {
    listener = undefined;
  };
}

export const onFirstNotice = wakeUps.add;

export const hasNotices = (): boolean => listener !== undefined || waiting.length > 0;
