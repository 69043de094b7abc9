/** A background job over channels: how far it is, the way to stop it, and a row a result. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { ProgressBar } from '@/components/progress-bar.tsx';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { Select } from '@/components/ui/select.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
import {
  beginJob,
  cancelJob,
  followJob,
  isUnderWay,
  type Job,
  type JobPath,
  type JobResult,
} from '@/lib/jobs.ts';
import { useApi } from '@/lib/page-context.ts';
import { quarterText } from '@/lib/quarter-text.ts';
import { useAction } from '@/lib/use-action.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { TEST_JOB } from './calls.ts';
import { dollars } from './channel.ts';
import { jobTitle } from './job-title.ts';
import { Speed } from './response-time.tsx';

interface JobPanelProps {
  path: JobPath;
  /** Undefined until its first news, and where there never was one. */
  job: Job | undefined;
  onClose: () => void;
}

const filters = ['all', 'failed', 'within1', 'within3', 'within5'] as const;
type Filter = (typeof filters)[number];

const WITHIN: Record<Filter, number | null> = { all: null, failed: null, within1: 1, within3: 3, within5: 5 };

const fits = (filter: Filter, { ok, time = Number.POSITIVE_INFINITY }: JobResult): boolean => {
  if (filter === 'failed') return !ok;
  const limit = WITHIN[filter];
  return limit === null || (ok && time <= limit);
};

/** Failures first, then the quickest. */
const byResult = (a: JobResult, b: JobResult): number =>
  Number(a.ok) - Number(b.ok) || (a.time ?? 0) - (b.time ?? 0) || a.seq - b.seq;

export function JobPanel({ path, job, onClose }: JobPanelProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [filter, setFilter] = useState<Filter>('all');
  const isTest = path === TEST_JOB;
  const cancel = useAction(async () => {
    await cancelJob(api, path);
    await followJob(api, path);
  });
  const failedIds = job?.results.filter(({ ok }) => !ok).map(({ id }) => id) ?? [];
  const retry = useAction(() => beginJob(api, path, { ids: failedIds.join(',') }));
  const results = job?.results.filter((result) => fits(filter, result)).sort(byResult) ?? [];
  const error = cancel.error ?? retry.error;

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t(jobTitle(path))} />
        <DrawerBody aria-label={t('job.results')}>
          {error !== null && (
            <Notice tone={errorTone(error)} role="alert" className="mb-4">
              {errorText(error, t)}
            </Notice>
          )}
          {job ? <Progress job={job} /> : <p className="text-muted">{t('job.none')}</p>}
          {job && (
            <>
              <div className="mt-5 mb-2 flex items-center gap-2">
                <h3 className="text-base font-semibold">{t('job.results')}</h3>
                {isTest && (
                  <Select
                    className="ml-auto w-40"
                    aria-label={t('job.filter')}
                    value={filter}
                    onChange={(event) =>
                      setFilter(filters.find((one) => one === event.target.value) ?? 'all')
                    }
                  >
                    {filters.map((one) => (
                      <option key={one} value={one}>
                        {t(`job.filter.${one}`)}
                      </option>
                    ))}
                  </Select>
                )}
              </div>
              <ul className="divide-y divide-line border-y border-line text-sm">
                {results.map((result) => (
                  <ResultRow key={result.seq} result={result} isTest={isTest} onLeave={onClose} />
                ))}
                {results.length === 0 && <li className="py-2.5 text-muted">{t('job.noResult')}</li>}
              </ul>
            </>
          )}
        </DrawerBody>
        {job && (
          <DrawerFoot>
            {isUnderWay(job) ? (
              <Button
                size="lg"
                busy={cancel.pending || job.state === 'cancelling'}
                onClick={() => void cancel.run()}
              >
                {t('job.cancel')}
              </Button>
            ) : (
              failedIds.length > 0 && (
                <Button size="lg" busy={retry.pending} onClick={() => void retry.run()}>
                  {t('job.retry')}
                </Button>
              )
            )}
            <span className="ml-auto">
              <CopyButton text={reportOf(job.results, t)} label={t('job.copy')} size="lg" />
            </span>
          </DrawerFoot>
        )}
      </DrawerContent>
    </Dialog>
  );
}

function Progress({ job }: { job: Job }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { state, total, done, failed, seconds } = job;
  const left = done > 0 && isUnderWay(job) ? ((total - done) * seconds) / done : 0;
  const text = [
    t('job.of', { done: formatNumber(done), total: formatNumber(total) }),
    failed > 0 && t('job.failed', { n: formatNumber(failed) }),
    left > 0 && t('job.left', { time: duration(left) }),
    !isUnderWay(job) && t(`job.state.${endOf(state)}`),
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <>
      <ProgressBar label={t('job.progress')} done={done} total={total} text={text} />
      {/* Told at each quarter and at the end, not at every step. */}
      <p role="status" className="sr-only">
        {isUnderWay(job) ? quarterText(job, t) : text}
      </p>
    </>
  );
}

const endOf = (state: Job['state']) => (state === 'done' || state === 'lost' ? state : 'cancelled');

interface ResultRowProps {
  result: JobResult;
  isTest: boolean;
  /** The panel makes room for the channel that is opened from it. */
  onLeave: () => void;
}

function ResultRow({ result, isTest, onLeave }: ResultRowProps) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { id, name, ok, message, time = 0, balance, offered, disabled } = result;
  const isNone = offered === false;
  return (
    <li className="flex items-start gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <Link to="/channel/edit/$id" params={{ id: String(id) }} className="link" onClick={onLeave}>
          {name}
        </Link>{' '}
        <span className="text-xs text-muted">#{id}</span>
        {message && !isNone && <p className="mt-0.5 text-xs break-words text-muted">{message}</p>}
        {disabled && <p className="mt-0.5 text-xs text-warn">{t('job.disabled')}</p>}
      </div>
      <span className="text-right whitespace-nowrap tabular-nums">
        {ok && isTest && <Speed ms={Math.max(1, time * 1_000)}>{duration(time)}</Speed>}
        {ok && balance !== undefined && dollars(balance)}
        {isNone && <span className="text-muted">{t('job.notOffered')}</span>}
        {!ok && <Status tone="bad">{t('job.bad')}</Status>}
      </span>
    </li>
  );
}

/** One line a result, for a message or a sheet. */
const reportOf = (results: readonly JobResult[], t: TFunction): string =>
  [...results]
    .sort(byResult)
    .map(({ id, name, ok, time, balance, message }) =>
      [id, name, t(ok ? 'job.good' : 'job.bad'), time ?? balance ?? '', message ?? ''].join('\t'),
    )
    .join('\n');
