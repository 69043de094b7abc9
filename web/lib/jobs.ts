/**
 * Background jobs of the server that this document follows. Their progress is asked for every second until they end;
 * what came of each piece is kept as long as the document, so that the panel may be opened on any page.
 */
import { useSyncExternalStore } from 'react';
import type { Api } from './api.ts';
import type { DataOf } from './calls.ts';
import { createListeners } from './listeners.ts';
import { keep, keptJobs } from './storage.ts';

const JOB_PATHS = ['/api/channel/test', '/api/channel/update_balance'] as const;

/** Where a job is begun; `/status` and `/cancel` stand below it. */
export type JobPath = (typeof JOB_PATHS)[number];

export interface Job extends NonNullable<DataOf<'get', `${JobPath}/status`>> {
  path: JobPath;
}

export type JobResult = Job['results'][number];

interface Jobs {
  jobs: readonly Job[];
  /** The path of the job whose panel is open. */
  open: JobPath | null;
}

const POLL_MS = 1_000;
const TRIES = 10;

const NONE: Jobs = { jobs: [], open: null };
let present = NONE;
const listeners = createListeners();
const followed = new Set<string>();

const setFollowed = (path: JobPath, isFollowed: boolean): void => {
  if (isFollowed) followed.add(path);
  else followed.delete(path);
  keep.jobs([...followed]);
};

/** Follows on what the document before this one followed to no end, whatever page this is. */
export function resumeJobs(api: Api): void {
  const kept = keptJobs();
  for (const path of JOB_PATHS) if (kept.includes(path)) void followJob(api, path, { onlyRunning: true });
}

const change = (next: Partial<Jobs>): void => {
  present = { ...present, ...next };
  listeners.tell();
};

export const useJobs = (): Jobs =>
  useSyncExternalStore(
    listeners.add,
    () => present,
    () => NONE,
  );

export const isUnderWay = ({ state }: Job): boolean => state === 'running' || state === 'cancelling';

export const openJob = (path: JobPath): void => change({ open: path });
export const closeJob = (): void => change({ open: null });

/** Takes a job that has ended out of sight. */
export const dropJob = (path: JobPath): void =>
  change({ jobs: present.jobs.filter((job) => job.path !== path), open: null });

/** Follows the job of this path until it ends. `onlyRunning`: one that ended before this document asked is none of its business. */
export async function followJob(api: Api, path: JobPath, { onlyRunning = false } = {}): Promise<void> {
  if (followed.has(path)) return;
  setFollowed(path, true);
  let job: Job | null = null;
  let failures = 0;
  for (;;) {
    try {
      const next: Job | null = await readJob(api, path, job);
      failures = 0;
      if (!next || (onlyRunning && !job && !isUnderWay(next))) break;
      job = next;
      change({ jobs: [...present.jobs.filter((one) => one.path !== path), next] });
      if (!isUnderWay(next) && next.results.length >= next.done) break;
    } catch {
      // A server that restarts is away for a moment.
      failures += 1;
      if (failures === TRIES) break;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  setFollowed(path, false);
}

async function readJob(api: Api, path: JobPath, known: Job | null): Promise<Job | null> {
  const ask = (after: number) => api.get(`${path}/status` as const, { query: { after } });
  const answer = await ask(known?.results.at(-1)?.seq ?? 0);
  if (!answer) return null;
  if (known && answer.id !== known.id) return readJob(api, path, null);
  return { ...answer, path, results: [...(known?.results ?? []), ...answer.results] };
}

/** Begins a job and follows it. Throws ApiError when one is under way already, which is then followed all the same. */
export async function beginJob(
  api: Api,
  path: JobPath,
  query: Record<string, string | undefined>,
): Promise<void> {
  try {
    await api.get(path, { query });
  } finally {
    openJob(path);
    void followJob(api, path);
  }
}

export const cancelJob = (api: Api, path: JobPath): Promise<boolean> =>
  api.send('POST', `${path}/cancel` as const);
