/** The form for a new account with a phone number. */
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { Notice } from '@/components/ui/notice.tsx';
import { PhoneForm } from '@/features/sign-in/phone-form.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/register');

export function PhoneRegister() {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const { next, aff = '' } = route.useSearch();
  return (
    <PhoneForm
      words={{ submit: t('register.submit'), submitting: t('register.submitting') }}
      submit={async ({ phone, code }) => {
        await api.send('POST', '/api/user/register/mobile', {
          body: { phone_number: phone, code, aff_code: aff },
        });
        await router.navigate({ to: '/login', search: { next, registered: 'true' } });
      }}
    >
      {aff !== '' && (
        <Notice>
          {t('register.invited')} <code className="font-mono">{aff}</code>
        </Notice>
      )}
    </PhoneForm>
  );
}
