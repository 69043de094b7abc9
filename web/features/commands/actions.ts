/** What can be done from everywhere, each declared once, with the page that who may see it may do it on. */
import type { AnyRouter } from '@tanstack/react-router';
import {
  AppWindow,
  CalendarPlus,
  Keyboard,
  Languages,
  LogOut,
  type LucideIcon,
  MessagesSquare,
  Plus,
  RefreshCw,
  SunMoon,
  Ticket,
  UserPlus,
} from 'lucide-react';
import type { Api } from '@/lib/api.ts';
import { failureNotice } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { notify } from '@/lib/notify.ts';
import { signOut } from '@/lib/sign-out.ts';
import { keep } from '@/lib/storage.ts';
import type { TextKey } from '@/lib/text-key.ts';
import type { Theme } from '@/lib/theme.ts';
import type { Right } from '../../boot.ts';

/** What an action works with. */
export interface Surroundings {
  router: AnyRouter;
  api: Api;
  t: TFunction;
  locale: 'zh' | 'en';
  theme: Theme;
  setTheme(theme: Theme): void;
  /** Shows the keys. */
  openHelp(): void;
}

export interface Action {
  id: string;
  text: TextKey;
  icon: LucideIcon;
  /** Offered to those whose menu has this page; to everybody without. */
  page?: string;
  /** Only where the session may do this. */
  right?: Right;
  run(around: Surroundings): void;
}

const goTo =
  (to: string) =>
  ({ router }: Surroundings): void =>
    void router.navigate({ to });

export const ACTIONS: readonly Action[] = [
  {
    id: 'token-add',
    text: 'token.create',
    icon: Plus,
    page: '/token',
    right: 'keepTokens',
    run: goTo('/token/add'),
  },
  {
    id: 'chat',
    text: 'chat.title',
    icon: MessagesSquare,
    page: '/token',
    right: 'chat',
    run: goTo('/token/chat'),
  },
  { id: 'channel-add', text: 'channel.add', icon: Plus, page: '/channel', run: goTo('/channel/add') },
  { id: 'user-add', text: 'user.create', icon: UserPlus, page: '/user', run: goTo('/user/add') },
  {
    id: 'codes-add',
    text: 'redemption.create',
    icon: Ticket,
    page: '/redemption',
    run: goTo('/redemption/add'),
  },
  {
    id: 'activity-add',
    text: 'activity.newTitle',
    icon: CalendarPlus,
    page: '/activity-config',
    run: goTo('/activity-config/add'),
  },
  {
    id: 'app-add',
    text: 'oauthApp.newTitle',
    icon: AppWindow,
    page: '/oauth-apps',
    run: goTo('/oauth-apps/add'),
  },
  { id: 'refresh', text: 'palette.refresh', icon: RefreshCw, run: ({ router }) => void router.invalidate() },
  {
    id: 'theme',
    text: 'palette.theme',
    icon: SunMoon,
    run: ({ theme, setTheme }) => setTheme(theme === 'dark' ? 'light' : 'dark'),
  },
  {
    id: 'language',
    text: 'shell.switchLanguage',
    icon: Languages,
    run: ({ locale }) => {
      keep.language(locale === 'zh' ? 'en' : 'zh');
      window.location.reload();
    },
  },
  { id: 'help', text: 'shortcut.title', icon: Keyboard, run: ({ openHelp }) => openHelp() },
  {
    id: 'sign-out',
    text: 'shell.logout',
    icon: LogOut,
    run: ({ api, t }) => void signOut(api).catch((error: unknown) => notify(failureNotice(error, t))),
  },
];
