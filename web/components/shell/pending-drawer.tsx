import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useCloseDrawer, useDrawerLook, useDrawerTitle } from '@/lib/use-drawer.ts';
import { DrawerToCome } from './drawer-to-come.tsx';

/** Stands for the drawer of a route from the click on that opens it. */
export function PendingDrawer() {
  const title = useDrawerTitle();
  const look = useDrawerLook();
  const close = useCloseDrawer();
  const { history } = useRouter();
  const [head] = useState(history.location.state.head);
  return <DrawerToCome title={head?.title ?? title} sub={head?.sub} className={look} onClose={close} />;
}
