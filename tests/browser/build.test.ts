/** The built console: the server knows every page's files, and none is heavier than it may be. */
import { beforeAll, describe, expect, it } from 'bun:test';
import { twMerge } from 'tailwind-merge';
import { type BuiltFiles, overBudget, weighed } from '../../scripts/budget.ts';
import { pageName } from '../../web/entry-server.tsx';
import { cn } from '../../web/lib/cn.ts';
import en from '../../web/locales/en.ts';
import zh from '../../web/locales/zh.ts';
import { createRouter } from '../../web/router.tsx';
import { builtFiles, builtText, gzippedBytes } from '../support/built.ts';

let built: BuiltFiles;
beforeAll(async () => {
  built = await builtFiles();
});

/** Paths of the pages whose component is loaded when they are opened. */
function lazyPaths(): string[] {
  const context = {} as Parameters<typeof createRouter>[0];
  return Object.values(createRouter(context).routesById).flatMap(({ fullPath, options }) => {
    const component: unknown = 'component' in options ? options.component : undefined;
    return typeof component === 'function' && 'preload' in component ? [fullPath] : [];
  });
}

describe('the build', () => {
  it('has the files of every page that is loaded when it is opened, under the name of its path', () => {
    const names = lazyPaths().map((path) => (path === '/' ? 'home' : pageName(path)));
    expect(names).toContain('token.edit');
    expect(names.filter((name) => !built.code.zh.pages[name])).toEqual([]);
  });

  it('keeps what every page loads, and what each adds, within their weights', () => {
    const all = weighed(built, gzippedBytes);
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(({ kib }) => kib < 0.5)).toEqual([]);
    expect(overBudget(built, all)).toEqual([]);
  });

  it('has browsers compile whole what every page loads, and nothing else', async () => {
    const { entry, shared, pages } = built.code.zh;
    const isWhole = async (file: string) =>
      (await builtText(file)).startsWith('//# allFunctionsCalledOnLoad\n');
    const ofAll = [entry, ...shared.filter((file) => !file.startsWith('rolldown-runtime'))];
    expect(await Promise.all(ofAll.map(isWhole))).toEqual(ofAll.map(() => true));
    const own = pages.token ?? [];
    expect(await Promise.all(own.map(isWhole))).toEqual(own.map(() => false));
  });

  it('has what a row opens fetched by its list, with all that it needs at once', async () => {
    const { entry, shared, pages } = built.code.en;
    const { token = [], 'token.edit': drawer = [] } = pages;
    const texts = await Promise.all(token.map(builtText));
    const asked = texts.join('').match(/Promise\.all\(\[(?:import\([^)]*\),?)+\]\)/g) ?? [];
    const more = drawer.filter((file) => ![entry, ...shared, ...token].includes(file));
    expect(more.length).toBeGreaterThan(1);
    expect(asked.some((all) => more.every((file) => all.includes(`./${file}`)))).toBe(true);
  });

  it('gives each page the texts of its own language that it shows, and not those of others', async () => {
    const textsOf = async (language: 'zh' | 'en', page: string) => {
      const { entry, shared, pages } = built.code[language];
      return (await Promise.all([entry, ...shared, ...(pages[page] ?? [])].map(builtText))).join('');
    };
    for (const [language, own, other] of [
      ['zh', zh, en],
      ['en', en, zh],
    ] as const) {
      const login = await textsOf(language, 'login');
      expect(login).toContain(own['login.usernameHelp']);
      expect(login).not.toContain(other['login.usernameHelp']);
      expect(login).not.toContain(own['overview.spooledWhy']);
      expect(await textsOf(language, 'home')).toContain(own['overview.spooledWhy']);
    }
  });

  it('writes no rule a second time for browsers of old, where it would win over others', async () => {
    const texts = await Promise.all(built.css.map(builtText));
    expect(texts.join('').match(/[^{}]*:-(?:webkit|moz)-any\(/g)).toBeNull();
    expect(texts.join('')).toContain('.data-table :is(th,td).opens-row{');
  });

  it('knows of each two classes which gives way, as the whole table of the package does', async () => {
    const texts = await Promise.all(built.css.map(builtText));
    // One of those that differ by a number alone.
    const byShape = Map.groupBy(texts.flatMap(classesOf), (name) => name.replace(/\d[\d.]*/g, '1'));
    const classes = [...byShape.values()].flatMap(([name]) => name ?? []);
    expect(classes.length).toBeGreaterThan(250);
    const wrong = classes.flatMap((one) =>
      classes.flatMap((other) => {
        if (one === other) return [];
        const pair = `${one} ${other}`;
        const [ours, theirs] = [cn(pair), twMerge(pair)];
        return ours === theirs ? [] : [`${pair}: ${ours}, not ${theirs}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

/** Names of classes as a stylesheet has them, without what they depend on (`md:`, `hover:`). */
const classesOf = (css: string): string[] =>
  [...css.matchAll(/\.((?:\\.|[\w-])+)/g)].map(([, name = '']) =>
    name
      .replace(/\\([0-9a-f]{2,6}) ?/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replaceAll('\\', '')
      .replace(/^.*:(?![^[]*\])/, ''),
  );
