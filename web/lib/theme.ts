/** Light or dark: the viewer's choice, else what his system prefers, which the style sheet follows by itself. */
import { surface } from '@core/colours.ts';
import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';
import { useBoot } from './page-context.ts';
import { keep } from './storage.ts';

export type Theme = 'light' | 'dark';

/**
 * Runs before the first paint: takes a choice that only local storage remembers, and leaves out header, side menu and
 * footer where an application asked for that.
 */
export const FIRST_PAINT_SCRIPT = `(function(d){try{var c=d.cookie,e=';path=/;max-age=31536000;samesite=lax',t=localStorage.getItem('theme-mode');if(c.indexOf('theme-mode=')<0&&(t==='dark'||t==='light')){d.documentElement.className=t;d.cookie='theme-mode='+t+e}}catch(_){}try{if(sessionStorage.getItem('layout')==='false')d.documentElement.classList.add('bare')}catch(_){}})(document)`;

/** Of what the phone draws around the page: that of the top bar. */
export const THEME_COLOURS = surface;

const listeners = createListeners();
const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)');

/** What is on the screen now, whoever decided it. */
function presentTheme(): Theme {
  const { classList } = document.documentElement;
  if (classList.contains('dark')) return 'dark';
  if (classList.contains('light')) return 'light';
  return systemDark().matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  const unlisten = listeners.add(listener);
  const system = systemDark();
  system.addEventListener('change', listener);
  return () => {
    unlisten();
    system.removeEventListener('change', listener);
  };
}

function setTheme(theme: Theme): void {
  document.documentElement.classList.remove('light', 'dark');
  document.documentElement.classList.add(theme);
  for (const meta of document.querySelectorAll('meta[name=theme-color]'))
    meta.setAttribute('content', THEME_COLOURS[theme]);
  keep.theme(theme);
  listeners.tell();
}

/** The theme on the screen and how to change it; charts that read colours redraw by it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const { preferences } = useBoot();
  const theme = useSyncExternalStore(subscribe, presentTheme, () => preferences.theme ?? 'light');
  return [theme, setTheme];
}
