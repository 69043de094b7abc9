import { lazy, Suspense } from 'react';
import { useJobs } from '@/lib/jobs.ts';

const JobPills = lazy(() => import('./job-pills.tsx').then((module) => ({ default: module.JobPills })));

/** The place of background jobs in the top bar; nothing of it is loaded before there is one. */
export function JobSlot() {
  const { jobs, open } = useJobs();
  if (jobs.length === 0 && open === null) return null;
  return (
    <Suspense>
      <JobPills jobs={jobs} open={open} />
    </Suspense>
  );
}
