import { useTranslation } from '@/lib/use-translation.ts';
import { Notice } from './ui/notice.tsx';

/** Says so to who has no JavaScript, over a form that nobody could send without it. */
export function ScriptNeeded() {
  const { t } = useTranslation();
  return (
    <noscript>
      <Notice tone="warn">{t('app.scriptNeeded')}</Notice>
    </noscript>
  );
}
