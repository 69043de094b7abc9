import { afterEach, beforeEach, expect, test } from 'bun:test';
import { keep } from './storage.ts';

/** What a page can do with cookies: read all of them, and set one. */
class Jar {
  readonly #cookies = new Map<string, string>();

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(text: string) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    this.#cookies.set(name, value);
  }
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'document');
let jar: Jar;
beforeEach(() => {
  jar = new Jar();
  Object.defineProperty(globalThis, 'document', { value: jar, configurable: true });
});
afterEach(() => {
  if (before) Object.defineProperty(globalThis, 'document', before);
  else Reflect.deleteProperty(globalThis, 'document');
});

test('a zone is kept also where the one before begins with its name', () => {
  jar.cookie = 'lang=en';
  for (const zone of ['Etc/GMT+10', 'Etc/GMT+1', 'Asia/Shanghai']) {
    keep.timeZone(zone);
    expect(jar.cookie).toBe(`lang=en; tz=${encodeURIComponent(zone)}`);
  }
});
