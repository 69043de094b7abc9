import { Fingerprint } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { useApi } from '@/lib/page-context.ts';
import { signInByPasskey } from '@/lib/passkey.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { leadOn } from './lead-on.ts';
import type { WayProps } from './way-props.ts';

/** Signs in by a passkey alone. */
export function PasskeyButton({ next, onFailure, whenAgreed }: WayProps) {
  const { t } = useTranslation();
  const api = useApi();
  const go = useAction(async () => {
    onFailure(null);
    try {
      await leadOn(await signInByPasskey(api, { second: false }, t), next);
    } catch (error) {
      onFailure(error);
    }
  });
  const title = t('passkey.one');
  return (
    <Button
      size="lg"
      busy={go.pending}
      aria-label={t('third.with', { provider: title })}
      onClick={() => void whenAgreed(() => go.run())}
    >
      {!go.pending && <Fingerprint aria-hidden="true" />}
      {title}
    </Button>
  );
}
