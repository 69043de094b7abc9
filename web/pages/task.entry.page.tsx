/** One task: what was asked for, what came of it, and the whole of it as JSON. */
import { formatDateTime } from '@core/time-text.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { Money } from '@/components/money.tsx';
import { Status } from '@/components/status.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerHead } from '@/components/ui/dialog.tsx';
import { Player } from '@/features/task/player.tsx';
import {
  actionText,
  askedOf,
  fileOf,
  type Piece,
  piecesOf,
  stateOf,
  type Task,
} from '@/features/task/task.ts';
import { useTimeRules } from '@/lib/clock.ts';
import { useCloseDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadTask } from '../features/task/load.ts';

const route = getRouteApi('/_console/task/$id');

export function TaskDrawer() {
  const { t } = useTranslation();
  const { task, seesAll, isExpired } = route.useLoaderData();
  const { timeZone } = useTimeRules();
  const close = useCloseDrawer();
  const state = stateOf(task.status);
  const time = (at: number) => (at === 0 ? '-' : formatDateTime(at, timeZone));
  const whole = JSON.stringify(task, null, 2);
  const pieces = piecesOf(task.data);
  const { asked, shape } = askedOf(task);
  const file = fileOf(task);
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={actionText(task.action, t)} sub={task.task_id} />
        <DrawerBody aria-label={t('task.entry')}>
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
          {asked !== '' && (
            <Part title={t('task.input')}>
              <p className="text-sm break-words whitespace-pre-wrap">{asked}</p>
            </Part>
          )}
          {pieces.length > 0 && (
            <Part title={t('task.results')}>
              {pieces.map((piece) => (
                <PieceOf key={piece.at} task={task} piece={piece} />
              ))}
            </Part>
          )}
          {file !== null && (
            <Part
              title={t('task.file')}
              action={<CopyButton size="sm" text={file} label={t('task.copyCall')} />}
            >
              {!isExpired && <Player task={task} kind="video" />}
              {task.expires_at !== 0 && (
                <p className="mt-2 text-sm">
                  {t(isExpired ? 'task.expired' : 'task.keptUntil', { time: time(task.expires_at) })}
                </p>
              )}
              <p className="my-2 text-sm text-muted">{t('task.fileHelp')}</p>
              <code className="font-mono text-xs break-all">{file}</code>
            </Part>
          )}
          <Part
            title={t('task.json')}
            action={<CopyButton size="sm" text={whole} label={t('task.copyJson')} />}
          >
            <pre className="rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap">
              {whole}
            </pre>
          </Part>
        </DrawerBody>
      </DrawerContent>
    </Dialog>
  );
}

function Part({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className="mt-5 border-t border-line pt-4">
      <div className="mb-2 flex items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

function PieceOf({ task, piece }: { task: Task; piece: Piece }) {
  const { t } = useTranslation();
  const { at, title, text, audio, video, picture } = piece;
  return (
    <article className="border-line py-2 not-first:border-t">
      <h3 className="text-sm font-semibold">{title || t('task.untitled')}</h3>
      {audio && (
        <div className="mt-2">
          <Player task={task} kind="audio" piece={at} />
        </div>
      )}
      {video && (
        <div className="mt-2">
          <Player task={task} kind="video" piece={at} />
        </div>
      )}
      {picture && <Cover of={picture} />}
      {text && <p className="mt-2 text-sm break-words whitespace-pre-wrap text-muted">{text}</p>}
    </article>
  );
}

/** It stands with the upstream: it opens beside the console, which loads nothing from there. */
function Cover({ of }: { of: string }) {
  const { t } = useTranslation();
  return (
    <p className="mt-2 text-sm">
      <a href={of} target="_blank" rel="noreferrer" className="link hit inline-flex items-center gap-1">
        {t('task.picture')}
        <ExternalLink className="size-3.5" aria-hidden="true" />
      </a>
    </p>
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
