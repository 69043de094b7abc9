import { Tag } from '@/components/ui/tag.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** Says beside the name that this site is somebody's own, or only for show. */
export function SiteBadge() {
  const { t } = useTranslation();
  const { status } = useBoot();
  if (status.self_use_mode_enabled) return <Tag>{t('shell.selfUse')}</Tag>;
  if (status.demo_site_enabled) return <Tag tone="warn">{t('shell.demo')}</Tag>;
  return null;
}
