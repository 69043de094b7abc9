/** Whether an account asks for a second factor, and the way out for who has lost it. */
import { useRouter } from '@tanstack/react-router';
import { useConfirm } from '@/components/confirm.tsx';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { User } from './user.ts';

export function TwoFactorOfUser({ user, isOn }: { user: User; isOn: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const boot = useBoot();
  const router = useRouter();
  const confirm = useConfirm();
  const turnOff = async () => {
    const isDone = await confirm({
      title: t('second.forceTitle', { name: user.username }),
      body: t('second.forceBody'),
      action: t('second.forceOff'),
      danger: true,
      work: () => api.send('DELETE', '/api/user/:id/2fa', { params: { id: user.id } }),
    });
    if (!isDone) return;
    notify({ tone: 'ok', text: t('second.forcedOff') });
    await router.invalidate();
  };
  return (
    <section aria-label={t('second.title')} className="border-t border-line pt-4">
      <h2 className="mb-2 text-base font-semibold">{t('second.title')}</h2>
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
        <Status tone={isOn ? 'on' : 'off'}>{t(isOn ? 'second.on' : 'second.off')}</Status>
        {/* One's own is turned off with a code, among the personal settings. */}
        {isOn && user.id !== boot.user?.id && (
          <Button variant="danger" onClick={() => void turnOff()}>
            {t('second.forceOff')}
          </Button>
        )}
      </div>
    </section>
  );
}
