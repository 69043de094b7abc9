/** What is known of a task: how it stands, what was asked for, who asked, when, and what it cost. */
import { formatDateTime } from '@core/time-text.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { Status } from '@/components/status.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { askedOf, stateOf, type Task } from './task.ts';

/** `seesAll`: whether the viewer sees the tasks of everybody. */
export function Facts({ task, seesAll }: { task: Task; seesAll: boolean }) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const state = stateOf(task.status);
  const { shape } = askedOf(task);
  const time = (at: number) => (at === 0 ? '-' : formatDateTime(at, timeZone));
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      <Fact label={t('task.state')}>
        <Status tone={state.tone}>{`${t(state.label)} · ${task.progress}`}</Status>
      </Fact>
      {task.fail_reason !== '' && <Fact label={t('task.reason')}>{task.fail_reason}</Fact>}
      <Fact label={t('task.model')}>{task.model_name}</Fact>
      {shape !== '' && <Fact label={t('task.shape')}>{shape}</Fact>}
      {seesAll && <Fact label={t('task.user')}>{task.username}</Fact>}
      {seesAll && <Fact label={t('task.channel')}>{`#${task.channel_id}`}</Fact>}
      <Fact label={t('task.submitted')}>{time(task.submit_time)}</Fact>
      <Fact label={t('task.finished')}>{time(task.finish_time)}</Fact>
      <Fact label={t('task.cost')}>
        <Money quota={task.quota} />
      </Fact>
      {task.refunded > 0 && (
        <Fact label={t('task.refunded')}>
          <Money quota={task.refunded} />
        </Fact>
      )}
      <Fact label={t('task.request')}>
        <Link to="/log" search={{ id: task.request_id, range: 'all' }} className="link">
          {t('task.toLog')}
        </Link>
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
