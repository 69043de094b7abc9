import { useEffect } from 'react';
import { resumeJobs, useJobs } from '@/lib/jobs.ts';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useWorks } from '@/lib/works.ts';

const JobPills = late(() => import('./job-pills.tsx').then((module) => module.JobPills));
const WorkPills = late(() => import('./work-pills.tsx').then((module) => module.WorkPills));

/** The place of long work in the top bar; nothing of it is loaded before there is some. */
export function JobSlot() {
  const api = useApi();
  const works = useWorks();
  const { jobs, open } = useJobs();
  useEffect(() => resumeJobs(api), [api]);
  return (
    <>
      {works.length > 0 && <WorkPills works={works} />}
      {(jobs.length > 0 || open !== null) && <JobPills jobs={jobs} open={open} />}
    </>
  );
}
