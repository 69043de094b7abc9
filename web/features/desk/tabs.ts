/** The tabs of `/aipy-conf`, in order. Each is a page of its own: a route in `pages/aipy-conf.NAME.tsx`, and a line here. */
import type { TextKey } from '@/lib/text-key.ts';

export const deskTabs = [
  { to: '/aipy-conf/suppliers', label: 'desk.tab.suppliers' },
  { to: '/aipy-conf/prompts', label: 'desk.tab.prompts' },
  { to: '/aipy-conf/roles', label: 'desk.tab.roles' },
  { to: '/aipy-conf/marketplace', label: 'desk.tab.marketplace' },
] as const satisfies readonly { to: string; label: TextKey }[];
