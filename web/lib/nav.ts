/** The menu is made from the routes: a page states where it stands in it, and who sees it there. */

import { type Capability, can } from '@core/roles.ts';
import type { AnyRoute, AnyRouter } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { Boot } from '../boot.ts';
import type { PageContext } from './page-context.ts';
import type { TextKey } from './text-key.ts';

const navSections = ['console', 'admin', 'personal'] as const;
export type NavSection = (typeof navSections)[number];

export interface NavEntry {
  section: NavSection;
  order: number;
  icon: LucideIcon;
  label: TextKey;
  /** The menu shows it to who may; the server decides about the page itself. */
  can: Capability;
  /** A switch of the site's status without which the menu does not show it. */
  needs?: 'enable_data_export' | 'enable_task' | 'enable_drawing';
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    nav?: NavEntry;
    /** Set for a page of one form that stands in the frame of guests, whoever looks. */
    plain?: boolean;
    /** What is said when the page cannot be loaded; a general sentence unless given. */
    failed?: TextKey;
    /** Set for a drawer, to the page that it lies over and that closing it leads to: opening it is no change of page. */
    drawer?: string;
    /** What a drawer is called: until it is there, and in the browser's history. */
    title?: TextKey;
    /** The field of the search that opens it, where it has no path of its own. */
    field?: string | undefined;
    /** Classes of a drawer that is wider than others. */
    look?: string | undefined;
  }
}

export interface NavItem extends NavEntry {
  path: string;
}

/** What the viewer's menu holds, section by section, in order; sections without entries are left out. */
export function navFor(router: AnyRouter): [NavSection, NavItem[]][] {
  const { boot } = router.options.context as PageContext;
  const routes = Object.values(router.routesById as Record<string, AnyRoute>);
  const items = routes
    .flatMap(({ fullPath, options }): NavItem[] => {
      const nav = options.staticData?.nav;
      return nav && maySee(boot, nav) ? [{ ...nav, path: fullPath }] : [];
    })
    .sort((a, b) => a.order - b.order);
  return navSections.flatMap((section): [NavSection, NavItem[]][] => {
    const own = items.filter((item) => item.section === section);
    return own.length > 0 ? [[section, own]] : [];
  });
}

/** The addresses of all pages of the viewer's menu. */
export const menuPaths = (router: AnyRouter): Set<string> =>
  new Set(navFor(router).flatMap(([, items]) => items.map(({ path }) => path)));

const maySee = ({ user, channelMenuOpen, status }: Boot, nav: NavEntry): boolean => {
  if (!user || (nav.needs && !status[nav.needs])) return false;
  const opened = channelMenuOpen && nav.can === 'canSeeChannelMenu' && can(user.role, 'canManageChannels');
  return opened || can(user.role, nav.can);
};
