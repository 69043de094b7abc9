/** Says that another page stands there: focus goes to its heading and its title is read out. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from '@/lib/use-translation.ts';

/** A drawer is no page of its own: its parent's path counts. */
const pageOf = (router: ReturnType<typeof useRouter>): string =>
  router.state.matches.findLast(({ staticData }) => !staticData.drawer)?.pathname ?? '';

export function RouteAnnouncer() {
  const { t } = useTranslation();
  const router = useRouter();
  const [title, setTitle] = useState('');

  useEffect(() => {
    let shown = pageOf(router);
    return router.subscribe('onRendered', () => {
      const page = pageOf(router);
      if (page === shown) return;
      shown = page;
      const heading = document.querySelector<HTMLElement>('main h1');
      heading?.focus({ preventScroll: true });
      setTitle(heading?.textContent ?? document.title);
    });
  }, [router]);

  return (
    <div role="status" aria-live="polite" className="sr-only">
      {title && t('shell.pageOpened', { title })}
    </div>
  );
}
