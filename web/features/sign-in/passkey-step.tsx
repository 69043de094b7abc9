import { getRouteApi, Link } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { Button } from '@/components/ui/button.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi } from '@/lib/page-context.ts';
import { signInByPasskey } from '@/lib/passkey.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { FormMessage } from './form-message.tsx';
import { leadOn } from './lead-on.ts';

const route = getRouteApi('/login');

/** The second step of an account that asks for no code. */
export function PasskeyAlone() {
  const { t } = useTranslation();
  const { next } = route.useSearch();
  return (
    <>
      <p className="text-sm text-muted">{t('passkey.stepHelp')}</p>
      <p className="mt-3 hidden text-sm text-bad noscript:block">{t('app.scriptNeeded')}</p>
      <PasskeyStep next={next} variant="primary" />
      <p className="mt-5 text-sm">
        <Link to="/login" search={{ next }} className="hit text-accent-text underline">
          {t('second.startOver')}
        </Link>
      </p>
    </>
  );
}

interface PasskeyStepProps {
  next: string | undefined;
  variant?: 'primary';
}

/** A passkey in the place of the code, for whoever has one. */
export function PasskeyStep({ next, variant }: PasskeyStepProps) {
  const { t } = useTranslation();
  const api = useApi();
  const go = useAction(async () => leadOn(await signInByPasskey(api, { second: true }, t), next));
  return (
    <div className="mt-3 noscript:hidden">
      <Button
        size="lg"
        variant={variant}
        className="mb-3 w-full"
        busy={go.pending}
        onClick={() => void go.run()}
      >
        {!go.pending && <Fingerprint aria-hidden="true" />}
        {t('passkey.useSecond')}
      </Button>
      <FormMessage id="passkey-message" tone={errorTone(go.error)}>
        {go.error !== null && errorText(go.error, t)}
      </FormMessage>
    </div>
  );
}
