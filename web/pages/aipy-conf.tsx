/** `/aipy-conf`: what companion clients are served. Its tabs are pages below it; it opens at the first of them. */
import { createRoute, redirect } from '@tanstack/react-router';
import { BotMessageSquare } from 'lucide-react';
import { deskTabs } from '../features/desk/tabs.ts';
import { listFields, searchText } from '../lib/list-search.ts';
import { consoleRoute } from './console.tsx';

/** Of every tab with drawers. `edit`: the entry whose drawer is open, by its id, or `new`. */
export const entryFields = { ...listFields, edit: searchText };

export const aipyConfRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/aipy-conf',
  staticData: {
    nav: { section: 'admin', order: 50, icon: BotMessageSquare, label: 'nav.aipyConf', can: 'canManageDesk' },
  },
});

export const aipyConfIndexRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: deskTabs[0].to });
  },
});
