import type { TFunction } from './i18n.ts';

const SHOWN_MAX = 20;

/** What several things are called, of very many the first. */
export function namesText(names: readonly string[], t: TFunction): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ');
  const more = names.length - SHOWN_MAX;
  return more > 0 ? t('table.andMore', { names: shown, more }) : shown;
}
