/** What has to be entered at the application; its secret is shown here and never again. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { CopyField } from '@/components/copy-field.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OAuthAppWithSecret } from './app.ts';

interface SecretDrawerProps {
  app: OAuthAppWithSecret;
  title: string;
  onClose: () => void;
}

export function SecretDrawer({ app, title, onClose }: SecretDrawerProps) {
  const { t } = useTranslation();
  const { origin, status } = useBoot();
  const router = useRouter();
  // The row behind appears as soon as the application exists.
  useEffect(() => void router.invalidate(), [router]);
  const { client_id, client_secret, name } = app;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined} onInteractOutside={(event) => event.preventDefault()}>
        <DrawerHead title={title} sub={name} />
        <DrawerBody aria-label={title}>
          <Notice tone={client_secret === null ? 'ok' : 'warn'} className="mb-4">
            {t(client_secret === null ? 'oauthApp.madeBody' : 'oauthApp.secretOnce')}
          </Notice>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <CopyField
              label={t('oauthApp.issuer')}
              value={status.server_address.replace(/\/+$/, '') || origin}
            />
            <CopyField label={t('oauthApp.clientId')} value={client_id} />
            {client_secret !== null && <CopyField label={t('oauthApp.clientSecret')} value={client_secret} />}
          </div>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" variant="primary" className="ml-auto max-md:flex-1" onClick={onClose}>
            {t('app.close')}
          </Button>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}
