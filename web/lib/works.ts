/**
 * Work that this document does itself or waits for, and that outlives the page on which it was begun, such as the fetching of
 * a long sheet. It shows in the top bar how far it is and can be given up there; what came of it is told as a short message.
 */
import { useSyncExternalStore } from 'react';
import { failureNotice } from './error-text.ts';
import type { TFunction } from './i18n.ts';
import { createListeners } from './listeners.ts';
import { notify } from './notify.ts';

/** How far it is; `total` is null where nobody knows. */
export interface Progress {
  done: number;
  total: number | null;
}

export interface Work extends Progress {
  /** One of its kind runs at a time. */
  kind: string;
  title: string;
  /** Of what the server does to its end, whoever waits: the page that shows it, in place of a way to give it up. */
  place: string | undefined;
  cancel(): void;
}

/** Does it and answers what came of it, in words. Rejects when it failed, or has been given up. */
export type Task = (report: (progress: Progress) => void, signal: AbortSignal) => Promise<string>;

const NONE: readonly Work[] = [];
let works = NONE;
const listeners = createListeners();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

const change = (next: readonly Work[]): void => {
  works = next;
  // What only this document does ends with it.
  if (works.some(({ place }) => !place)) window.addEventListener('beforeunload', ask);
  else window.removeEventListener('beforeunload', ask);
  listeners.tell();
};

/** Nobody waits for them any more: they cannot come to an end. */
export const forgetWorks = (): void => change(NONE);

export const useWorks = (): readonly Work[] =>
  useSyncExternalStore(
    listeners.add,
    () => works,
    () => NONE,
  );

/** Begins it, unless one of its kind runs already. Never rejects. */
export async function beginWork(
  { kind, title, place, t }: { kind: string; title: string; place?: string; t: TFunction },
  task: Task,
): Promise<void> {
  if (works.some((work) => work.kind === kind)) return;
  const abort = new AbortController();
  const begun: Work = { kind, title, place, done: 0, total: null, cancel: () => abort.abort() };
  change([...works, begun]);
  const report = (progress: Progress) =>
    change(works.map((work) => (work.kind === kind ? { ...work, ...progress } : work)));
  try {
    notify({ tone: 'ok', text: await task(report, abort.signal) });
  } catch (error) {
    if (abort.signal.aborted) notify({ tone: 'plain', text: t('work.cancelled', { title }) });
    else notify(failureNotice(error, t));
  } finally {
    change(works.filter((work) => work.kind !== kind));
  }
}
