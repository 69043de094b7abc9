/** In a frame of an application, on a page whose controls are not offered there: where they are. */
import { useLocation } from '@tanstack/react-router';
import { useBoot, useMay } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { Gap } from './gap.tsx';
import { Notice } from './ui/notice.tsx';

export function OwnSiteNotice() {
  const { t } = useTranslation();
  const { origin } = useBoot();
  const { pathname } = useLocation();
  if (useMay('act')) return null;
  return (
    <Notice className="mb-4">
      {t('frame.onlyShown')}
      <Gap />
      <a href={origin + pathname} target="_blank" rel="noreferrer" className="link hit">
        {t('frame.open')}
      </a>
    </Notice>
  );
}
