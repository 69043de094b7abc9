/**
 * Asks who is signed in, and goes to the authorization with the query as it came; whoever is not signed in does that
 * first. Where the server cannot be asked it is tried anew, five times.
 */
import { useEffect, useState } from 'react';
import { EmptyState } from '@/components/empty-state.tsx';
import { GuestColumn } from '@/components/shell/guest-shell.tsx';
import { Button, buttonVariants, Spinner } from '@/components/ui/button.tsx';
import { withQuery } from '@/lib/api.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const TRIES = 5;
const AGAIN_MS = 1_000;
const COUNTER = 'oauth-login-tries';

/** How often it failed in a row, in this tab; what cannot be counted has failed too often. */
function countFailure(): number {
  try {
    const failures = Number(sessionStorage.getItem(COUNTER) ?? 0) + 1;
    sessionStorage.setItem(COUNTER, String(failures));
    return failures;
  } catch {
    return TRIES;
  }
}

function forgetFailures(): void {
  try {
    sessionStorage.removeItem(COUNTER);
  } catch {}
}

export function OAuthLoginPage() {
  const { t } = useTranslation();
  const { user } = useBoot();
  const api = useApi();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const { pathname, search } = window.location;
    if (!user) {
      forgetFailures();
      // No page may be shown: the application is told that nobody is signed in.
      if (new URLSearchParams(search).get('prompt') === 'none') {
        window.location.replace(`/api/oauth/authorize${search}`);
        return;
      }
      window.location.replace(withQuery('/login', { next: pathname + search }));
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    api.get('/api/user/self').then(
      () => {
        forgetFailures();
        // Letter by letter: the application compares what comes back.
        window.location.replace(`/api/oauth/authorize${search}`);
      },
      () => {
        if (countFailure() >= TRIES) setFailed(true);
        else timer = setTimeout(() => window.location.reload(), AGAIN_MS);
      },
    );
    return () => clearTimeout(timer);
  }, [api, user]);

  return (
    <GuestColumn title={t('oauthLogin.title')}>
      {failed ? (
        <div role="alert">
          <EmptyState
            title={t('oauthLogin.failed')}
            action={
              <span className="flex flex-wrap gap-3">
                <Button
                  variant="primary"
                  onClick={() => {
                    forgetFailures();
                    window.location.reload();
                  }}
                >
                  {t('oauthLogin.again')}
                </Button>
                <a href="/" className={buttonVariants()}>
                  {t('oauthLogin.home')}
                </a>
              </span>
            }
          >
            {t('oauthLogin.failedBody')}
          </EmptyState>
        </div>
      ) : (
        <p role="status" className="flex items-center gap-2.5 text-muted">
          <Spinner />
          {t('oauthLogin.waiting')}
        </p>
      )}
    </GuestColumn>
  );
}
