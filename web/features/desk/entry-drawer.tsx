/** The drawer that the address asks for: of a new entry, of one of the list, or of one that is not there. */
import { createContext, type ReactNode, useContext } from 'react';
import { DrawerToCome } from '@/components/shell/drawer-to-come.tsx';
import { late } from '@/lib/late.tsx';
import { NEW, useEditing } from './use-editing.ts';

const NoEntryDrawer = late(() => import('./no-entry-drawer.tsx').then((module) => module.NoEntryDrawer));

interface EntryHead {
  title: string;
  sub?: string | undefined;
}

const Head = createContext<EntryHead>({ title: '' });

/** What stands over the drawer, while it is on its way and when it is there. */
export const useEntryHead = (): EntryHead => useContext(Head);

interface EntryDrawerProps<Entry> {
  entries: readonly Entry[];
  /** Null makes a new one. */
  head: (entry: Entry | null) => EntryHead;
  children: (entry: Entry | null) => ReactNode;
}

export function EntryDrawer<Entry extends { id: number }>(props: EntryDrawerProps<Entry>) {
  const { entries, head, children } = props;
  const { edit } = useEditing();
  if (edit === undefined) return null;
  const entry = edit === NEW ? null : entries.find(({ id }) => String(id) === edit);
  if (entry === undefined) return <NoEntryDrawer />;
  return <Head value={head(entry)}>{children(entry)}</Head>;
}

/** Until the drawer's code is there. */
export function EntryToCome() {
  const { close } = useEditing();
  return <DrawerToCome {...useEntryHead()} onClose={close} />;
}
