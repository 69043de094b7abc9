/** The token by which scripts of one's own call the management API. */
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { CopyField } from '@/components/copy-field.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogContent,
  DialogDescription,
  DialogTitle,
} from '@/components/ui/dialog.tsx';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { AccessToken, SectionProps } from './personal.ts';
import { Row, SectionNote } from './section.tsx';
import { useSaved } from './use-told.ts';

export function AccessTokenSection({ personal: { accessToken } }: SectionProps) {
  const { t } = useTranslation();
  return (
    <>
      <SectionNote>{t('personal.accessTokenHelp')}</SectionNote>
      <Row
        label={t(accessToken ? 'personal.accessTokenThere' : 'personal.accessTokenNone')}
        help={accessToken && <Dates accessToken={accessToken} />}
      >
        <Actions exists={accessToken !== null} />
      </Row>
    </>
  );
}

function Dates({ accessToken: { created_at, used_at } }: { accessToken: AccessToken }) {
  const { t } = useTranslation();
  return (
    <>
      {t('personal.made')} <Time at={created_at} />
      {' · '}
      {used_at === 0 ? (
        t('personal.neverUsed')
      ) : (
        <>
          {t('personal.lastUsed')} <Time at={used_at} relative />
        </>
      )}
    </>
  );
}

function Actions({ exists }: { exists: boolean }) {
  const { t } = useTranslation();
  const api = useApi();
  const confirm = useConfirm();
  const saved = useSaved(() => {});
  /** Shown this once; it stands nowhere else. */
  const [issued, setIssued] = useState<string | null>(null);

  const issue = async () => setIssued(await api.send('POST', '/api/user/token'));
  const make = useAction(async () => {
    try {
      await issue();
    } catch (error) {
      notify(failureNotice(error, t));
    }
  });
  const renew = () =>
    confirm({
      title: t('personal.renewTitle'),
      body: t('personal.renewBody'),
      action: t('personal.renew'),
      danger: true,
      work: issue,
    });
  const revoke = async () => {
    const isDone = await confirm({
      title: t('personal.revokeTitle'),
      body: t('personal.revokeBody'),
      action: t('personal.revoke'),
      danger: true,
      work: () => api.send('DELETE', '/api/user/token'),
    });
    if (isDone) await saved(t('personal.revoked'));
  };
  return (
    <div className="flex flex-wrap gap-2">
      {exists ? (
        <>
          <Button onClick={() => void renew()}>{t('personal.renew')}</Button>
          <Button variant="danger" onClick={() => void revoke()}>
            {t('personal.revoke')}
          </Button>
        </>
      ) : (
        <Button busy={make.pending} onClick={() => void make.run()}>
          {t('personal.makeToken')}
        </Button>
      )}
      {issued !== null && (
        <IssuedDialog
          token={issued}
          onClose={() => {
            setIssued(null);
            void saved(t('personal.tokenMade'));
          }}
        />
      )}
    </div>
  );
}

function IssuedDialog({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent onInteractOutside={(event) => event.preventDefault()} data-print="no">
        <DialogTitle className="mb-1.5">{t('personal.issuedTitle')}</DialogTitle>
        <DialogDescription className="mb-4">{t('personal.issuedHelp')}</DialogDescription>
        <CopyField label={t('personal.accessToken')} value={token} />
        <DialogActions>
          <Button variant="primary" onClick={onClose}>
            {t('app.close')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
