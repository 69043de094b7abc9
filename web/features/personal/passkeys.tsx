/** One's own passkeys: added, named, removed; or why there can be none here. */
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { late } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Passkey, SectionProps } from './personal.ts';
import { SectionNote } from './section.tsx';
import { useSaved } from './use-told.ts';

const AddPasskeyDialog = late(() =>
  import('./add-passkey-dialog.tsx').then((module) => module.AddPasskeyDialog),
);
const PasskeyDialog = late(() => import('./passkey-dialog.tsx').then((module) => module.PasskeyDialog));
const TwoFactorCodeDialog = late(() =>
  import('./two-factor-code-dialog.tsx').then((module) => module.TwoFactorCodeDialog),
);

/** What a dialog is open for. */
type Opened = { step: 'none' | 'add' } | { step: 'rename' | 'remove'; passkey: Passkey };

export function PasskeysSection({ personal: { passkeys, twoFactor } }: SectionProps) {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const { items, obstacle, host } = passkeys;
  const [opened, setOpened] = useState<Opened>({ step: 'none' });
  const close = () => setOpened({ step: 'none' });
  const saved = useSaved(close);
  const removeNow = ({ id }: Passkey, code: string) =>
    api.send('DELETE', '/api/user/passkeys/:passkey', { params: { passkey: id }, body: { code } });
  const remove = async (passkey: Passkey) => {
    if (twoFactor.enabled) return setOpened({ step: 'remove', passkey });
    const isDone = await confirm({
      title: t('passkey.removeTitle', { name: passkey.name }),
      body: t('passkey.removeBody'),
      action: t('passkey.remove'),
      danger: true,
      work: () => removeNow(passkey, ''),
    });
    if (isDone) await saved(t('passkey.removed'));
  };
  return (
    <>
      <SectionNote>{t('passkey.help')}</SectionNote>
      {items.length > 0 ? (
        <ul aria-label={t('passkey.title')}>
          {items.map((passkey) => (
            <PasskeyLine
              key={passkey.id}
              passkey={passkey}
              onRename={() => setOpened({ step: 'rename', passkey })}
              onRemove={() => void remove(passkey)}
            />
          ))}
        </ul>
      ) : (
        <p className="border-b border-line px-4 py-3 text-sm text-muted">{t('passkey.none')}</p>
      )}
      {obstacle === null ? (
        <div className="flex justify-end px-4 py-2.5">
          <Button onClick={() => setOpened({ step: 'add' })}>{t('passkey.add')}</Button>
        </div>
      ) : (
        <div className="px-4 py-3">
          <Notice>{t(`passkey.obstacle.${obstacle}`, { host })}</Notice>
        </div>
      )}
      {opened.step === 'add' && (
        <AddPasskeyDialog
          asksCode={twoFactor.enabled}
          onAdded={() => saved(t('passkey.added'))}
          onClose={close}
        />
      )}
      {opened.step === 'rename' && (
        <PasskeyDialog
          title={t('passkey.rename')}
          name={opened.passkey.name}
          action={t('app.save')}
          onSubmit={async ({ name }) => {
            await api.send('PUT', '/api/user/passkeys/:passkey', {
              params: { passkey: opened.passkey.id },
              body: { name },
            });
            await saved(t('passkey.renamed'));
          }}
          onClose={close}
        />
      )}
      {opened.step === 'remove' && (
        <TwoFactorCodeDialog
          title={t('passkey.removeTitle', { name: opened.passkey.name })}
          description={t('passkey.removeBody')}
          action={t('passkey.remove')}
          danger
          onSubmit={async (code) => {
            await removeNow(opened.passkey, code);
            await saved(t('passkey.removed'));
          }}
          onClose={close}
        />
      )}
    </>
  );
}

interface PasskeyLineProps {
  passkey: Passkey;
  onRename: () => void;
  onRemove: () => void;
}

function PasskeyLine({ passkey, onRename, onRemove }: PasskeyLineProps) {
  const { t } = useTranslation();
  const { name, host, here, created_at, used_at, second_only } = passkey;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="text-sm font-medium break-words">{name}</p>
        <p className="text-xs text-muted">
          {t('passkey.created')} <Time at={created_at} />
          {' · '}
          {used_at > 0 ? (
            <>
              {t('passkey.used')} <Time at={used_at} relative />
            </>
          ) : (
            t('passkey.neverUsed')
          )}
        </p>
        {second_only && <p className="text-xs text-muted">{t('passkey.secondOnly')}</p>}
        {!here && <p className="text-xs text-warn">{t('passkey.otherHost', { host })}</p>}
      </div>
      <div className="flex gap-2">
        <Button aria-label={`${t('passkey.rename')}: ${name}`} onClick={onRename}>
          {t('passkey.rename')}
        </Button>
        <Button variant="danger" aria-label={`${t('passkey.remove')}: ${name}`} onClick={onRemove}>
          {t('passkey.remove')}
        </Button>
      </div>
    </li>
  );
}
