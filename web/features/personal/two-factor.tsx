/** The second factor: whether it is on, and what can be done about it. */
import { useState } from 'react';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { late } from '@/lib/late.tsx';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { SectionProps } from './personal.ts';
import { Row, SectionNote, ValueLine } from './section.tsx';
import type { TwoFactorSetup } from './two-factor-setup-dialog.tsx';
import { useSaved } from './use-told.ts';

const BackupCodesDialog = late(() =>
  import('./backup-codes-dialog.tsx').then((module) => module.BackupCodesDialog),
);
const TwoFactorCodeDialog = late(() =>
  import('./two-factor-code-dialog.tsx').then((module) => module.TwoFactorCodeDialog),
);
const TwoFactorSetupDialog = late(() =>
  import('./two-factor-setup-dialog.tsx').then((module) => module.TwoFactorSetupDialog),
);

type Opened =
  | { step: 'none' }
  | { step: 'setup'; setup: TwoFactorSetup }
  | { step: 'codes'; codes: readonly string[]; done: string }
  | { step: 'disable' }
  | { step: 'renew' };

export function TwoFactorSection({ personal: { twoFactor } }: SectionProps) {
  const { t } = useTranslation();
  const api = useApi();
  const [opened, setOpened] = useState<Opened>({ step: 'none' });
  const close = () => setOpened({ step: 'none' });
  const saved = useSaved(close);
  const begin = useAction(async () => {
    try {
      setOpened({ step: 'setup', setup: await api.send('POST', '/api/user/2fa/setup') });
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  return (
    <>
      <SectionNote>{t('second.help')}</SectionNote>
      <Row label={t('second.title')}>
        <ValueLine
          value={
            <Status tone={twoFactor.enabled ? 'on' : 'off'}>
              {t(twoFactor.enabled ? 'second.on' : 'second.off')}
            </Status>
          }
        >
          {twoFactor.enabled ? (
            <Button variant="danger" onClick={() => setOpened({ step: 'disable' })}>
              {t('second.disable')}
            </Button>
          ) : (
            <Button busy={begin.pending} onClick={() => void begin.run()}>
              {t('second.enable')}
            </Button>
          )}
        </ValueLine>
      </Row>
      {twoFactor.enabled && (
        <Row label={t('second.backupCodes')} help={t('second.backupCodesHelp')}>
          <ValueLine value={t('second.codesLeft', { n: twoFactor.backup_codes_left })}>
            <Button onClick={() => setOpened({ step: 'renew' })}>{t('second.renewCodes')}</Button>
          </ValueLine>
        </Row>
      )}
      {opened.step === 'setup' && (
        <TwoFactorSetupDialog
          setup={opened.setup}
          onEnabled={() =>
            setOpened({ step: 'codes', codes: opened.setup.backup_codes, done: t('second.enabled') })
          }
          onClose={close}
        />
      )}
      {opened.step === 'codes' && (
        <BackupCodesDialog codes={opened.codes} onClose={() => void saved(opened.done)} />
      )}
      {opened.step === 'disable' && (
        <TwoFactorCodeDialog
          title={t('second.disable')}
          description={t('second.disableHelp')}
          action={t('second.disable')}
          danger
          onSubmit={async (code) => {
            await api.send('POST', '/api/user/2fa/disable', { body: { code } });
            await saved(t('second.disabled'));
          }}
          onClose={close}
        />
      )}
      {opened.step === 'renew' && (
        <TwoFactorCodeDialog
          title={t('second.renewCodes')}
          description={t('second.renewHelp')}
          action={t('second.renewCodes')}
          onSubmit={async (code) => {
            const { backup_codes } = await api.send('POST', '/api/user/2fa/backup_codes', { body: { code } });
            setOpened({ step: 'codes', codes: backup_codes, done: t('second.renewed') });
          }}
          onClose={close}
        />
      )}
    </>
  );
}
