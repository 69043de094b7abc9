/** Signing in with a phone number and its code; who has no account gets one where the site allows it. */
import { getRouteApi } from '@tanstack/react-router';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { leadOn } from './lead-on.ts';
import { PhoneForm } from './phone-form.tsx';

const route = getRouteApi('/login');

export function PhoneSignIn() {
  const { t } = useTranslation();
  const api = useApi();
  const { next, aff = '' } = route.useSearch();
  return (
    <PhoneForm
      words={{ submit: t('login.submit'), submitting: t('login.submitting'), failed: t('login.failed') }}
      submit={async ({ phone, code }) => {
        const given = { phone_number: phone, code, aff };
        await leadOn(await api.send('POST', '/api/user/login/mobile', { body: given }), next);
      }}
    />
  );
}
