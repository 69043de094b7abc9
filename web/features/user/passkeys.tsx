/** The passkeys of an account, for who has lost one or was robbed of it. Nothing where there are none. */
import { useRouter } from '@tanstack/react-router';
import { useConfirm } from '@/components/confirm.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { notify } from '@/lib/notify.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { User } from './user.ts';

type Passkeys = DataOf<'get', '/api/user/:id/passkeys'>;

export function PasskeysOfUser({ user, passkeys }: { user: User; passkeys: Passkeys }) {
  const { t } = useTranslation();
  const api = useApi();
  const boot = useBoot();
  const router = useRouter();
  const confirm = useConfirm();
  const remove = async ({ id, name }: Passkeys[number]) => {
    const isDone = await confirm({
      title: t('passkey.removeTitle', { name }),
      body: t('passkey.removeOfBody'),
      action: t('passkey.remove'),
      danger: true,
      work: () =>
        api.send('DELETE', '/api/user/:id/passkeys/:passkey', { params: { id: user.id, passkey: id } }),
    });
    if (!isDone) return;
    notify({ tone: 'ok', text: t('passkey.removed') });
    await router.invalidate();
  };
  if (passkeys.length === 0) return null;
  return (
    <section aria-label={t('passkey.title')} className="border-t border-line pt-4">
      <h2 className="mb-2 text-base font-semibold">{t('passkey.title')}</h2>
      <ul className="grid gap-2">
        {passkeys.map((passkey) => (
          <li key={passkey.id} className="flex items-center justify-between gap-2 text-sm">
            <span className="min-w-0">
              <span className="block break-words">{passkey.name}</span>
              <span className="block text-xs text-muted">
                {t('passkey.created')} <Time at={passkey.created_at} />
              </span>
            </span>
            {/* One's own are removed among the personal settings. */}
            {user.id !== boot.user?.id && (
              <Button
                variant="danger"
                aria-label={`${t('passkey.remove')}: ${passkey.name}`}
                onClick={() => void remove(passkey)}
              >
                {t('passkey.remove')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
