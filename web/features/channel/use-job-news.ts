import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { followJob, useJobs } from '@/lib/jobs.ts';
import { useApi } from '@/lib/page-context.ts';
import { BALANCE_JOB, TEST_JOB } from './calls.ts';

/** Takes up jobs that were under way before this page, and shows the fresh rows as their results come in. */
export function useJobNews(): void {
  const api = useApi();
  const router = useRouter();
  const { jobs } = useJobs();
  useEffect(() => {
    for (const path of [TEST_JOB, BALANCE_JOB] as const) void followJob(api, path, { onlyRunning: true });
  }, [api]);
  const news = jobs.map(({ id, done, state }) => `${id} ${done} ${state}`).join();
  const [seen, setSeen] = useState(news);
  useEffect(() => {
    if (news === seen) return;
    setSeen(news);
    void router.invalidate();
  }, [news, seen, router]);
}
