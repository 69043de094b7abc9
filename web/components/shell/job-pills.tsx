/** Background jobs in the top bar, on every page: how far they are, and the way to their results. */
import { formatNumber } from '@core/money.ts';
import { X } from 'lucide-react';
import { Meter } from '@/components/meter.tsx';
import { JobPanel } from '@/features/channel/job-panel.tsx';
import { jobTitle } from '@/features/channel/job-title.ts';
import { closeJob, dropJob, isUnderWay, type Job, type JobPath, openJob } from '@/lib/jobs.ts';
import { quarterText } from '@/lib/quarter-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Button } from '../ui/button.tsx';

export function JobPills({ jobs, open }: { jobs: readonly Job[]; open: JobPath | null }) {
  return (
    <>
      {jobs.map((job) => (
        <Pill key={job.path} job={job} isOpen={open === job.path} />
      ))}
      {open !== null && (
        <JobPanel path={open} job={jobs.find(({ path }) => path === open)} onClose={closeJob} />
      )}
    </>
  );
}

function Pill({ job, isOpen }: { job: Job; isOpen: boolean }) {
  const { t } = useTranslation();
  const { path, done, total, failed } = job;
  const progress = `${formatNumber(done)} / ${formatNumber(total)}`;
  return (
    <span className="inline-flex items-center">
      <button
        type="button"
        className="hit inline-flex h-7 items-center gap-2 rounded-sm border border-line-btn bg-surface px-2.5 text-xs tabular-nums hover:border-line-strong hover:bg-hover"
        onClick={() => openJob(path)}
      >
        <span className="max-md:sr-only">{t(jobTitle(path))}</span>
        {progress}
        <Meter
          share={total === 0 ? 1 : done / total}
          label={progress}
          className="w-14 [&>span]:bg-accent! max-md:hidden"
        />
        {failed > 0 && (
          <span className="text-bad max-md:hidden">{t('job.failed', { n: formatNumber(failed) })}</span>
        )}
      </button>
      {/* Told at each quarter and at the end; an open panel tells it by itself. */}
      <span role="status" className="sr-only">
        {!isOpen && `${t(jobTitle(path))} ${isUnderWay(job) ? quarterText(job, t) : progress}`}
      </span>
      {!isUnderWay(job) && (
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={t('job.drop', { title: t(jobTitle(path)) })}
          onClick={() => dropJob(path)}
        >
          <X aria-hidden="true" />
        </Button>
      )}
    </span>
  );
}
