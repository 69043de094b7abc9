/** Where one is signed in, and how to end it. */

import { useConfirm } from '@/components/confirm.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import type { TFunction } from '@/lib/i18n.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps, SessionEntry } from './personal.ts';
import { useSaved, useTold } from './use-told.ts';

export function SessionsSection({ personal: { sessions } }: SectionProps) {
  const { t } = useTranslation();
  const hasOthers = sessions.some(({ current }) => !current);
  return (
    <>
      <ul aria-label={t('personal.sessions')}>
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} />
        ))}
      </ul>
      {hasOthers && <EndOthers />}
    </>
  );
}

/** `Chrome on Windows`, as far as it is known. */
function deviceText({ browser, system }: SessionEntry, t: TFunction): string {
  if (browser && system) return t('personal.device', { browser, system });
  return browser || system || t('personal.deviceUnknown');
}

function SessionLine({ session }: { session: SessionEntry }) {
  const { t } = useTranslation();
  const api = useApi();
  const told = useTold();
  const device = deviceText(session, t);
  const end = useAction(async () => {
    await told(
      () => api.send('DELETE', '/api/user/sessions/:shown', { params: { shown: session.id } }),
      t('personal.sessionEnded'),
    );
  });
  return (
    <li className="flex items-center gap-4 border-b border-line px-4 py-3 last:border-b-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          {device}
          {session.current && <Tag tone="hot">{t('personal.thisBrowser')}</Tag>}
        </p>
        <p className="text-xs text-muted">
          <span className="break-all">{session.ip || '-'}</span>
          {' · '}
          {t('personal.signedIn')} <Time at={session.created_at} />
          {' · '}
          {t('personal.lastSeen')} <Time at={session.seen_at} relative />
        </p>
      </div>
      {!session.current && (
        <Button
          busy={end.pending}
          aria-label={`${t('personal.endSession')}: ${device}, ${session.ip}`}
          onClick={() => void end.run()}
        >
          {t('personal.endSession')}
        </Button>
      )}
    </li>
  );
}

function EndOthers() {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const saved = useSaved(() => {});
  const ask = async () => {
    const isDone = await confirm({
      title: t('personal.endOthersTitle'),
      body: t('personal.endOthersBody'),
      action: t('personal.endOthers'),
      danger: true,
      work: () => api.send('DELETE', '/api/user/sessions'),
    });
    if (isDone) await saved(t('personal.othersEnded'));
  };
  return (
    <div className="flex justify-end border-t border-line px-4 py-2.5">
      <Button onClick={() => void ask()}>{t('personal.endOthers')}</Button>
    </div>
  );
}
