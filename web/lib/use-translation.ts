import { useRouter } from '@tanstack/react-router';
import type { TFunction } from './i18n.ts';

/** The texts of the page's language, which never changes while the document stands. */
export const useTranslation = (): { t: TFunction } => useRouter().options.context;
