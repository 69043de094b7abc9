import { describe, expect, it } from 'bun:test';
import { safeNext } from './next-path.ts';

describe('safeNext', () => {
  it('keeps a path of this site with its query and hash', () => {
    for (const path of ['/', '/token', '/log?type=2&model=gpt-4o', '/channel/edit/12?p=3#top', '/a/%2F/b']) {
      expect(safeNext(path)).toBe(path);
    }
  });

  it('refuses everything that a browser would read as another site', () => {
    const foreign = [
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n//evil.example',
      '/..//evil.example',
      '/.//evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      '\\/evil.example',
      ' /token',
      '',
    ];
    for (const path of foreign) expect(safeNext(path)).toBe('/token');
  });

  it('refuses what is no text or absurdly long', () => {
    for (const value of [undefined, null, 7, ['/token'], `/${'a'.repeat(3_000)}`]) {
      expect(safeNext(value, '/')).toBe('/');
    }
  });

  it('leaves a safe answer safe when it is checked again', () => {
    for (const path of ['/a/..//b', '/./token', '/token?next=//evil']) {
      expect(safeNext(safeNext(path))).toBe(safeNext(path));
    }
  });
});
