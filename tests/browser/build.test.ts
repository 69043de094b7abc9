/** The built console: the server knows every page's files, and none is heavier than it may be. */
import { beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { twMerge } from 'tailwind-merge';
import { pageName } from '../../web/entry-server.tsx';
import { cn } from '../../web/lib/cn.ts';
import { createRouter } from '../../web/router.tsx';
import { build } from '../support/browser.ts';

const folder = join(import.meta.dir, '../../dist/web');
const KIB = 1024;

interface Manifest {
  entry: string;
  css: string[];
  shared: string[];
  pages: Record<string, string[]>;
}

let manifest: Manifest;
beforeAll(async () => {
  await build();
  manifest = await Bun.file(join(folder, 'manifest.json')).json();
}, 60_000);

const weight = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + Bun.file(join(folder, `${file}.gz`)).size, 0) / KIB;

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
    expect(names.filter((name) => !manifest.pages[name])).toEqual([]);
  });

  it('keeps what every page loads, and what each adds, within their weights', () => {
    expect(weight([manifest.entry, ...manifest.shared])).toBeLessThan(135);
    expect(manifest.shared.length).toBeLessThan(8);
    expect(weight(manifest.css)).toBeLessThan(25);
    for (const [page, files] of Object.entries(manifest.pages)) {
      expect(`${page}: ${weight(files) < 45}`).toBe(`${page}: true`);
    }
  });

  it('writes no rule a second time for browsers of old, where it would win over others', async () => {
    const texts = await Promise.all(manifest.css.map((file) => Bun.file(join(folder, file)).text()));
    expect(texts.join('').match(/[^{}]*:-(?:webkit|moz)-any\(/g)).toBeNull();
    expect(texts.join('')).toContain('.data-table :is(th,td).opens-row{');
  });

  it('knows of each two classes which gives way, as the whole table of the package does', async () => {
    const texts = await Promise.all(manifest.css.map((file) => Bun.file(join(folder, file)).text()));
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
