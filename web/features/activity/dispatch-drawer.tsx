/** What became of each user of a dispatch, while it is under way and after it. */
import { formatNumber } from '@core/money.ts';
import { ProgressBar } from '@/components/progress-bar.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Dispatch, isUnderWay, rewardResults, unserved } from './activity.ts';

interface DispatchDrawerProps {
  name: string;
  dispatch: Dispatch;
  /** Chooses others; undefined where the activity rewards nobody now. */
  onMore: ((users: { id: number; name: string }[]) => void) | undefined;
  onClose: () => void;
}

export function DispatchDrawer({ name, dispatch, onMore, onClose }: DispatchDrawerProps) {
  const { t } = useTranslation();
  const { results, began_at } = dispatch;
  const runs = isUnderWay(dispatch);
  const granted = results.filter(({ result }) => result === 'granted').length;
  const rest = unserved(dispatch);
  const title = runs ? t('activity.sending') : t('activity.sentTitle', { count: granted });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={title} sub={name} />
        <DrawerBody aria-label={title}>
          <p role="status" className="sr-only">
            {title}
          </p>
          {runs ? (
            <div className="mb-4">
              <Progress dispatch={dispatch} />
              <p className="mt-2 text-sm text-muted">{t('activity.goesOn')}</p>
            </div>
          ) : (
            <p className="mb-3 text-sm text-muted">
              {t('activity.sentAt')} <Time at={began_at} />
            </p>
          )}
          {!runs && granted < results.length && (
            <Notice tone={granted > 0 ? 'mind' : 'bad'} className="mb-4">
              {t('activity.notAll', { count: results.length - granted })}
            </Notice>
          )}
          <ul className="text-sm">
            {(runs ? results : [...results].sort(byTrouble)).map((one) => (
              <Result key={one.user_id} {...one} runs={runs} />
            ))}
          </ul>
        </DrawerBody>
        <DrawerFoot>
          {!runs && onMore && (
            <Button
              size="lg"
              onClick={() => onMore(rest.map(({ user_id, username }) => ({ id: user_id, name: username })))}
            >
              {rest.length > 0 ? t('activity.sendRest', { count: rest.length }) : t('activity.sendMore')}
            </Button>
          )}
          <Button size="lg" className="ml-auto max-md:flex-1" onClick={onClose}>
            {t('app.close')}
          </Button>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

/** In the end those first who have nothing by it, for whom something may be to be done. */
const byTrouble = (a: Dispatch['results'][number], b: Dispatch['results'][number]): number =>
  Number(a.result === 'granted') - Number(b.result === 'granted');

function Progress({ dispatch: { results } }: { dispatch: Dispatch }) {
  const { t } = useTranslation();
  const done = results.filter(({ result }) => result !== null).length;
  const text = t('activity.doneOf', {
    count: results.length,
    done: formatNumber(done),
    total: formatNumber(results.length),
  });
  return <ProgressBar label={t('activity.sending')} done={done} total={results.length} text={text} />;
}

function Result({ user_id, username, result, runs }: Dispatch['results'][number] & { runs: boolean }) {
  const open = {
    tone: 'gone',
    label: runs ? 'activity.result.waiting' : 'activity.result.unreached',
  } as const;
  return (
    <li className="flex items-baseline justify-between gap-4 border-b border-line py-2">
      <span className="min-w-0 truncate">
        {username} <span className="font-mono text-xs text-muted">#{user_id}</span>
      </span>
      <State look={result ? rewardResults[result] : open} />
    </li>
  );
}
