/** It was approved: on to the tokens by itself, unless somebody wants to stay. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

/** The specification's number. */
const LEAVES_AFTER_SEC = 3;
const SECOND_MS = 1_000;

export function Approved() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  /** Null for who stays. */
  const [left, setLeft] = useState<number | null>(LEAVES_AFTER_SEC);
  useEffect(() => {
    if (left === null) return;
    if (left === 0) {
      void navigate({ to: '/token' });
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [left, navigate]);
  return (
    <>
      <div role="status">
        <Notice tone="ok">
          <strong className="font-medium">{t('approve.approved')}</strong> {t('approve.approvedHelp')}
        </Notice>
      </div>
      {left !== null && <p className="mt-4 text-sm text-muted">{t('approve.leaving', { n: left })}</p>}
      <div className="mt-4 flex flex-wrap gap-3">
        <Link to="/token" className={buttonVariants({ variant: 'primary', size: 'lg' })}>
          {t('approve.goNow')}
        </Link>
        {left !== null && (
          <Button size="lg" onClick={() => setLeft(null)}>
            {t('approve.stay')}
          </Button>
        )}
      </div>
    </>
  );
}
