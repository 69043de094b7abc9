/** When the phone's menu is open. It belongs to the page on which it was opened. */
import { useLocation } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useState } from 'react';

export function useMenuSheet(defaultOpen: boolean) {
  const { pathname } = useLocation();
  const [open, setOpen] = useState(defaultOpen);
  const [shownOn, setShownOn] = useState(pathname);

  // Choosing another page closes it once that is there.
  useEffect(() => {
    if (pathname !== shownOn) setOpen(false);
  }, [pathname, shownOn]);

  const show = () => {
    setShownOn(pathname);
    setOpen(true);
  };
  /** Of the sheet: a link to the page that is there already brings no other. */
  const onClick = ({ target }: MouseEvent) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.origin === location.origin && link.pathname === pathname) setOpen(false);
  };
  return { open, setOpen, show, onClick };
}
