import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import en from './en.ts';
import zh from './zh.ts';

const keysOf = (texts: Record<string, string>) => new Set(Object.keys(texts));

/** The values that a text shows, in every form of its plural. */
const holes = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();

describe('the texts', () => {
  it('exist in both languages', () => {
    expect([...keysOf(en)].sort()).toEqual([...keysOf(zh)].sort());
  });

  it('are sound messages', () => {
    for (const text of [...Object.values(zh), ...Object.values(en)]) compile(text);
  });

  it('are nowhere empty', () => {
    for (const [key, text] of [...Object.entries(zh), ...Object.entries(en)]) {
      expect(`${key}: ${text.trim()}`).not.toEndWith(': ');
    }
  });

  it('take the same values in both languages', () => {
    const english: Record<string, string> = en;
    for (const [key, text] of Object.entries(zh)) {
      const other = english[key];
      if (other !== undefined) expect([key, ...holes(other)]).toEqual([key, ...holes(text)]);
    }
  });

  it('tell one from many in English wherever they count; a number that changes no word has another name', () => {
    const forms = /\{\w+, plural, one (\{.*\}) other (\{.*\})\}/;
    const wrong = Object.entries(en).filter(([, text]) => {
      const [, one, other] = forms.exec(text) ?? [];
      const counts = /\{count\b|, plural,/.test(text);
      return counts && (one === undefined || one === other);
    });
    expect(wrong).toEqual([]);
  });

  it('show no number before an English plural but where they tell one from many', () => {
    // A bound is above one, and a tier is a span.
    const free = new Set(['max', 'most', 'tier']);
    const words = 'has|is|was|does|its|besides';
    const before = new RegExp(`\\{(\\w+)\\} (?:(?!from\\b)[a-z-]+ )?(?!(?:${words})\\b)[a-z]+s\\b`, 'g');
    const wrong = Object.entries(en).filter(
      ([, text]) =>
        !text.includes(', plural,') && [...text.matchAll(before)].some(([, name = '']) => !free.has(name)),
    );
    expect(wrong).toEqual([]);
  });

  it('speak Chinese in Chinese', () => {
    const latin = /^[\x20-\x7e]*$/;
    const same = new Set(['English']);
    for (const [key, text] of Object.entries(zh)) {
      if (latin.test(text) && !same.has(text) && /[A-Za-z]{4,}\s+[A-Za-z]{3,}/.test(text))
        throw new Error(`${key}: ${text}`);
    }
  });

  it('are all used', async () => {
    const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: join(import.meta.dir, '..') })];
    const texts = await Promise.all(
      files
        .filter((file) => !file.startsWith('locales/'))
        .map((file) => Bun.file(join(import.meta.dir, '..', file)).text()),
    );
    const source = texts.join('\n');
    const quoted = new Set([...source.matchAll(/['"]([\w.]+)['"]/g)].map(([, text]) => text));
    // Keys that are put together, such as `setup.mode.${mode}`, are used when their beginning is.
    const beginnings = [...source.matchAll(/`([a-z]\w*(?:\.\w+)*\.)\$\{/g)].map(
      ([, beginning]) => beginning ?? '',
    );
    const unused = [...keysOf(zh)].filter(
      (key) => !quoted.has(key) && !beginnings.some((beginning) => key.startsWith(beginning)),
    );
    expect(unused).toEqual([]);
  });
});
