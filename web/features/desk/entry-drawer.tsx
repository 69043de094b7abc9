/** The drawer that the address asks for: of a new entry, of one of the list, or of one that is not there. */
import type { ReactNode } from 'react';
import { late } from '@/lib/late.tsx';
import { NEW, useEditing } from './use-editing.ts';

const NoEntryDrawer = late(() => import('./no-entry-drawer.tsx').then((module) => module.NoEntryDrawer));

interface EntryDrawerProps<Entry> {
  entries: readonly Entry[];
  /** Null makes a new one. */
  children: (entry: Entry | null) => ReactNode;
}

export function EntryDrawer<Entry extends { id: number }>({ entries, children }: EntryDrawerProps<Entry>) {
  const { edit } = useEditing();
  if (edit === undefined) return null;
  if (edit === NEW) return children(null);
  const entry = entries.find(({ id }) => String(id) === edit);
  return entry ? children(entry) : <NoEntryDrawer />;
}
