import { useTranslation } from '@/lib/use-translation.ts';

/** First in the tab order: jumps over the menus. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href="#main"
      className="absolute -top-12 left-2 z-50 rounded-sm bg-raised px-3 py-2 text-accent-text focus:top-2 focus:shadow-float"
    >
      {t('shell.skip')}
    </a>
  );
}
