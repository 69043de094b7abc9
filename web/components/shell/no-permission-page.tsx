import { buttonVariants } from '@/components/ui/button.tsx';
import type { ApiError } from '@/lib/api-error.ts';
import { useBoot } from '@/lib/page-context.ts';
import { roleText } from '@/lib/role-text.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { PageFrame } from './page-frame.tsx';

/** Says what the viewer is, that it does not suffice, and who can change it. */
export function NoPermissionPage({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const { user } = useBoot();
  return (
    <PageFrame>
      <div className="max-w-[560px] pt-8 max-md:pt-4">
        <p className="font-mono text-sm text-muted">403</p>
        <h1 tabIndex={-1} className="my-1 text-xl font-semibold">
          {t('error.forbidden')}
        </h1>
        <p className="text-muted">{error.message}</p>
        <p className="mb-5 text-muted">
          {user && t('error.forbiddenHelp', { have: roleText(user.role, t) })}
        </p>
        <a href="/" className={buttonVariants({ variant: 'primary' })}>
          {t('app.home')}
        </a>
      </div>
    </PageFrame>
  );
}
