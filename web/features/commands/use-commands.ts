/** What the palette offers for what was typed. */
import { looksLikeKey } from '@core/key-text.ts';
import { useRouter } from '@tanstack/react-router';
import { CornerDownRight, Settings, Store } from 'lucide-react';
import { useMemo, useState } from 'react';
import { navFor } from '@/lib/nav.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useTheme } from '@/lib/theme.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { ACTIONS, type Action } from './actions.ts';
import type { Command, CommandGroup } from './command.ts';
import { pageActions } from './page-actions.ts';
import { ranked } from './rank.ts';
import { type Answer, useFound } from './use-found.ts';

interface Commands {
  groups: readonly CommandGroup[];
  /** Of the lists that could not be searched. */
  failures: readonly string[];
  /** The server is still asked. */
  pending: boolean;
}

export function useCommands(typed: string, openHelp: () => void): Commands {
  const { t } = useTranslation();
  const pages = usePages();
  const here = useHere();
  // What stands on the page is not offered twice.
  const actions = useActions(pages, openHelp).filter(({ name }) => here.every((own) => own.name !== name));
  const paths = useMemo(() => new Set(pages.map(({ id }) => id)), [pages]);
  const answers = useFound(typed, paths);
  const settings = useSettingSearch(typed, paths);
  const groupOf = useGroupOf();
  const groups: CommandGroup[] = [
    { id: 'pages', title: t('palette.pages'), commands: ranked(pages, typed) },
    { id: 'here', title: t('palette.here'), commands: ranked(here, typed) },
    { id: 'actions', title: t('palette.actions'), commands: ranked(actions, typed) },
    ...(answers ?? []).map(groupOf),
    { id: 'settings', title: t('nav.setting'), commands: settings },
  ];
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    failures: (answers ?? []).flatMap(({ source, error }) =>
      error ? [t('palette.failed', { list: t(source.title), reason: error })] : [],
    ),
    pending: answers === null,
  };
}

/** Of the page on which the palette was opened. */
function useHere(): readonly Command[] {
  const [actions] = useState(pageActions);
  return useMemo(
    () =>
      actions.map(({ name, run }) => ({ id: `here-${name}`, name, words: [], icon: CornerDownRight, run })),
    [actions],
  );
}

/** Those of the viewer's menu, and the one beside it that everybody sees. */
function usePages(): Command[] {
  const { t } = useTranslation();
  const router = useRouter();
  return useMemo(() => {
    const menu = navFor(router).flatMap(([, items]) => items);
    const hub = { path: '/model-hub', icon: Store, label: 'nav.modelHub' } as const;
    return [...menu, hub].map(({ path, icon, label }) => ({
      id: path,
      name: t(label),
      words: [path, path.slice(1)],
      hint: path,
      icon,
      run: () => void router.navigate({ to: path }),
    }));
  }, [t, router]);
}

function useActions(pages: readonly Command[], openHelp: () => void): Command[] {
  const { t } = useTranslation();
  const router = useRouter();
  const api = useApi();
  const { locale, user } = useBoot();
  const [theme, setTheme] = useTheme();
  const isOffered = ({ page, right }: Action): boolean =>
    (page === undefined || pages.some(({ id }) => id === page)) &&
    (right === undefined || (user?.may[right] ?? false));
  return ACTIONS.filter(isOffered).map(({ id, text, icon, run }) => ({
    id,
    name: t(text),
    words: [id],
    icon,
    run: () => run({ router, api, t, locale, theme, setTheme, openHelp }),
  }));
}

/** Options are found by the page of settings, whose search knows their names in both languages. */
function useSettingSearch(typed: string, paths: ReadonlySet<string>): Command[] {
  const { t } = useTranslation();
  const router = useRouter();
  const text = typed.trim();
  if (!paths.has('/setting') || text.length < 2 || looksLikeKey(text)) return [];
  return [
    {
      id: 'setting-search',
      name: t('palette.settings', { text }),
      icon: Settings,
      run: () => void router.navigate({ to: '/setting', search: { q: text } }),
    },
  ];
}

function useGroupOf(): (answer: Answer) => CommandGroup {
  const { t } = useTranslation();
  const router = useRouter();
  return ({ source, found }) => ({
    id: source.page,
    title: t(source.title),
    commands: found.map(({ id, name, hint, go }) => ({
      id: `${source.page}-${id}`,
      name,
      hint,
      icon: source.icon,
      run: () => go(router),
    })),
  });
}
