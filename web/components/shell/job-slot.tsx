import { useJobs } from '@/lib/jobs.ts';
import { late } from '@/lib/late.tsx';

const JobPills = late(() => import('./job-pills.tsx').then((module) => module.JobPills));

/** The place of background jobs in the top bar; nothing of it is loaded before there is one. */
export function JobSlot() {
  const { jobs, open } = useJobs();
  if (jobs.length === 0 && open === null) return null;
  return <JobPills jobs={jobs} open={open} />;
}
