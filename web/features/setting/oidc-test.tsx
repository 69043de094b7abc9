/** Reads the addresses of an OpenID provider from its well-known address and puts them into the fields. */
import { FileSearch } from 'lucide-react';
import { DialogButton } from '@/components/dialog-button.tsx';
import { late } from '@/lib/late.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OidcTestProps } from './oidc-test-props.ts';

const OidcTestDialog = late(() => import('./oidc-test-dialog.tsx').then((module) => module.OidcTestDialog));

export function OidcTest(props: OidcTestProps) {
  const { t } = useTranslation();
  return (
    <DialogButton icon={FileSearch} dialog={(close) => <OidcTestDialog {...props} onClose={close} />}>
      {t('third.oidcTest')}
    </DialogButton>
  );
}
