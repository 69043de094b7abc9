import { useBoot } from '@/lib/page-context.ts';

/** What stands between two sentences: a Chinese full stop brings its room with it. */
export const Gap = () => (useBoot().locale === 'zh' ? null : ' ');
