import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { SiteStatus } from '../boot.ts';
import { readPreferences } from './preferences.ts';
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

const NAMES = ['document', 'localStorage'] as const;
const before = NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
let jar: Jar;
let kept: Map<string, string>;
beforeEach(() => {
  jar = new Jar();
  kept = new Map();
  const storage = { setItem: (key: string, value: string) => kept.set(key, value) };
  for (const [name, value] of [
    ['document', jar],
    ['localStorage', storage],
  ] as const)
    Object.defineProperty(globalThis, name, { value, configurable: true });
});
afterEach(() => {
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  }
});

test('a zone is kept also where the one before begins with its name', () => {
  jar.cookie = 'lang=en';
  for (const zone of ['Etc/GMT+10', 'Etc/GMT+1', 'Asia/Shanghai']) {
    keep.timeZone(zone);
    expect(jar.cookie).toBe(`lang=en; tz=${encodeURIComponent(zone)}`);
  }
});

test('clients find under the specification’s names what holds, chosen or not', () => {
  const status = { system_name: 'Gate', enable_task: false, chats: [{ Hub: '{address}' }] };
  keep.status(status as unknown as SiteStatus);
  keep.preferences(readPreferences('page-size=50', true));
  keep.channelModels([{ type: 43, models: ['deepseek-chat'] }]);
  expect(Object.fromEntries(kept)).toMatchObject({
    status: JSON.stringify(status),
    enable_task: 'false',
    chats: '[{"Hub":"{address}"}]',
    'page-size': '50',
    default_collapse_sidebar: 'true',
    channel_models: '{"43":["deepseek-chat"]}',
  });
});
