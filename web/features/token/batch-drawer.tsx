/** Makes many tokens, one call after the other, and hands their keys over as a text file. Leaving it early asks first. */
import { useRouter } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '@/components/copy-button.tsx';
import { useLeaveGuard } from '@/components/leave-guard.ts';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTimeRules } from '@/lib/clock.ts';
import { saveText } from '@/lib/download.ts';
import { errorText } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { batchNames, bodyOf, type TokenValues } from './form.ts';
import { markNew } from './recent.ts';
import type { Token } from './token.ts';

type Progress = { step: 'running' } | { step: 'failed'; reason: string } | { step: 'done' };

/** A line a token: its name and its key. */
const fileOf = (tokens: readonly Token[]): string =>
  tokens.map(({ name, key }) => `${name}\tsk-${key}\n`).join('');

function useBatch(values: TokenValues) {
  const { t } = useTranslation();
  const { timeZone } = useTimeRules();
  const api = useApi();
  const router = useRouter();
  const [names] = useState(() => batchNames(values.name.trim(), Number(values.count)));
  const [made, setMade] = useState<Token[]>([]);
  const [progress, setProgress] = useState<Progress>({ step: 'running' });
  const next = useRef(0);
  const stopped = useRef(false);

  const stop = () => {
    stopped.current = true;
  };
  const run = async () => {
    stopped.current = false;
    setProgress({ step: 'running' });
    try {
      while (next.current < names.length && !stopped.current) {
        const body = { ...bodyOf(values, timeZone), name: names[next.current] };
        const token = await api.send('POST', '/api/token/', { body });
        next.current++;
        markNew(token.id);
        setMade((old) => [...old, token]);
      }
      setProgress({ step: 'done' });
    } catch (error) {
      setProgress({ step: 'failed', reason: errorText(error, t) });
    }
    await router.invalidate();
  };

  const begun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the work begins once, with the drawer, and ends with it
  useEffect(() => {
    if (!begun.current) void run();
    begun.current = true;
    return stop;
  }, []);

  const finish = () => setProgress({ step: 'done' });
  return { total: names.length, made, progress, run, finish, stop };
}

export function BatchDrawer({ values, onClose }: { values: TokenValues; onClose: () => void }) {
  const { t } = useTranslation();
  const { keysShownOnce } = useBoot();
  const { total, made, progress, run, finish, stop } = useBatch(values);
  const [kept, setKept] = useState(false);
  const counts = { done: made.length, total };

  const runs = progress.step === 'running';
  const lost = runs
    ? t(keysShownOnce ? 'token.leaveMakingOnce' : 'token.leaveMakingBody')
    : t(keysShownOnce ? 'token.leaveKeysOnce' : 'token.leaveKeysBody');
  useLeaveGuard(runs || (made.length > 0 && !kept), {
    question: {
      title: t(runs ? 'token.leaveMakingTitle' : 'token.leaveKeysTitle'),
      body: lost,
      action: t('token.leave'),
      keep: t(runs ? 'token.stayMaking' : 'token.stay'),
    },
  });

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined} onInteractOutside={(event) => event.preventDefault()}>
        <DrawerHead title={t('token.batchTitle')} sub={values.name} />
        <DrawerBody aria-label={t('token.batchTitle')}>
          <ProgressLine {...counts} />
          <div role="status" className="mt-4">
            {progress.step === 'failed' && (
              <Notice tone="bad">{t('token.batchFailed', { ...counts, reason: progress.reason })}</Notice>
            )}
            {progress.step === 'done' && (
              <Notice tone="ok">{t('token.batchDone', { count: made.length })}</Notice>
            )}
          </div>
          <ol className="mt-4 text-sm">
            {made.map(({ id, name }) => (
              <li key={id} className="border-b border-line py-1.5">
                {name}
              </li>
            ))}
          </ol>
        </DrawerBody>
        <DrawerFoot>
          {runs && (
            <Button size="lg" onClick={stop}>
              {t('token.batchStop')}
            </Button>
          )}
          {progress.step === 'failed' && (
            <>
              <Button size="lg" onClick={finish}>
                {t('token.batchStop')}
              </Button>
              <Button size="lg" variant="primary" className="ml-auto" onClick={() => void run()}>
                {t('token.batchContinue')}
              </Button>
            </>
          )}
          {progress.step === 'done' && (
            <>
              <Button size="lg" onClick={onClose}>
                {t('token.resultList')}
              </Button>
              {made.length > 0 && (
                <span className="ml-auto flex gap-2">
                  <CopyButton
                    size="lg"
                    label={t('token.copyAll')}
                    text={async () => {
                      setKept(true);
                      return fileOf(made);
                    }}
                  />
                  <Button
                    size="lg"
                    variant="primary"
                    onClick={() => {
                      saveText(`${values.name.trim()}.txt`, fileOf(made));
                      setKept(true);
                    }}
                  >
                    <Download aria-hidden="true" />
                    {t('token.download')}
                  </Button>
                </span>
              )}
            </>
          )}
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

function ProgressLine({ done, total }: { done: number; total: number }) {
  const { t } = useTranslation();
  const text = t('token.batchProgress', { done, total });
  return (
    <>
      <p className="mb-2 text-sm tabular-nums">{text}</p>
      <div
        role="progressbar"
        aria-label={t('token.batchTitle')}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={text}
        className="h-1.5 overflow-hidden rounded-full bg-track"
      >
        <div className="h-full bg-accent" style={{ width: `${(done / total) * 100}%` }} />
      </div>
    </>
  );
}
