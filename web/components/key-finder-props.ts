import type { TextKey } from '@/lib/text-key.ts';
import type { SearchChange } from './data-table/search-links.ts';

export interface KeyFinderProps {
  texts: Record<'action' | 'help' | 'field' | 'unknown', TextKey>;
  /** The list's filters that show the row of this key alone; null when there is none. */
  find: (key: string) => Promise<SearchChange | null>;
  /** On a full line of filters its sign stands alone. */
  isTight?: boolean;
}
