import { describe, expect, it } from 'bun:test';
import { type Api, apiOf } from '@/lib/api.ts';
import { translatorFor } from '@/lib/translator-for.ts';
import { questionsFor, SOURCES } from './sources.ts';

const t = translatorFor('zh');
const ALL = new Set(SOURCES.map(({ page }) => page));
const asked = (text: string, pages: ReadonlySet<string> = ALL) =>
  questionsFor(text, pages, t).map(({ source }) => source.page);
const KEY = `sk-Ab3d${'x'.repeat(41)}9f2`;

describe('the lists that are searched', () => {
  it('are those of the viewer’s menu', () => {
    expect(asked('azure', new Set(['/token', '/topup', '/log']))).toEqual(['/token']);
    expect(asked('azure')).toEqual(['/channel', '/user', '/token', '/payment']);
    expect(asked('TG20260501', new Set(['/token', '/topup']))).toEqual(['/token', '/topup']);
  });

  it('are asked of a number at once, of a text from two letters on', () => {
    expect([asked('a'), asked('')]).toEqual([[], []]);
    expect(asked('7')).toEqual(['/channel', '/user', '/token', '/payment']);
  });

  it('know a request by its id alone', () => {
    expect(asked('019AC1F2-0000-7000-8000-00000000abcd')).toEqual(['/log']);
    expect(asked('019ac1f2-0000-7000')).not.toContain('/log');
  });

  it.each([
    ['channel 4', '/channel', '4'],
    ['Channel  azure-east', '/channel', 'azure-east'],
    ['渠道 4', '/channel', '4'],
    ['user 7', '/user', '7'],
    ['log 019AC1F2-0000-7000-8000-00000000abcd', '/log', '019AC1F2-0000-7000-8000-00000000abcd'],
    [`token ${KEY}`, '/token', KEY],
  ])('ask for %p the one that is named for the rest alone', (typed, page, text) => {
    const questions = questionsFor(typed, ALL, t);
    expect(questions.find(({ source }) => source.page === page)?.text).toBe(text);
    expect(questions.filter(({ source }) => source.page !== page).every((one) => one.text === typed)).toBe(
      true,
    );
  });

  it('tell what has a number before what has it in its name', async () => {
    const items = [14, 40, 4].map((id) => ({ id, name: `channel-${id}`, username: `user-${id}` }));
    const api: Api = apiOf({
      call: async () => ({ data: { items, total: 3 } }),
      getOnce: () => Promise.reject(new Error('not asked')),
      file: () => Promise.reject(new Error('not asked')),
    });
    const found = SOURCES.filter(({ page }) => page === '/channel' || page === '/user').map((source) =>
      source.find(api, '#4', new AbortController().signal),
    );
    for (const records of await Promise.all(found))
      expect(records.map(({ id }) => id)).toEqual(['4', '14', '40']);
  });

  const PASTED = [
    KEY,
    KEY.slice(3),
    KEY.slice(0, 40),
    `Bearer ${KEY}`,
    `authorization: bearer ${KEY.slice(3)}`,
    `"${KEY}"`,
    `'${KEY.slice(3)}',`,
    `OPENAI_API_KEY=${KEY}`,
    '“sk-Ab3d…9f2”',
    'AIzaSyD-3xK9_mQ2vLw8Zt7Rb4Nc6Ph1Jf5Gs0Y',
  ];

  it('never send more of a key than is shown of it, and to nobody but its own list', async () => {
    const addresses: string[] = [];
    const api: Api = apiOf({
      call: async (_method, address) => {
        addresses.push(decodeURIComponent(address));
        return { data: { items: [], total: 0 } };
      },
      getOnce: () => Promise.reject(new Error('not asked')),
      file: () => Promise.reject(new Error('not asked')),
    });
    for (const text of PASTED) {
      const questions = questionsFor(text, ALL, t);
      expect([text, questions.map(({ source }) => source.page)]).toEqual([text, ['/token']]);
      for (const { source, text: sought } of questions)
        await source.find(api, sought, new AbortController().signal);
    }
    expect(new Set(addresses)).toEqual(
      new Set(
        ['sk-Ab3d…9f2', 'sk-Ab3dxxx', 'sk-AIzas0Y'].map(
          (token) => `/api/token/page?token=${token}&mask=true&p=1&page_size=5`,
        ),
      ),
    );
  });

  it('take no name for a key', () => {
    for (const name of ['disk-1', 'task-2026', 'DeepSeek-R1-Distill-Llama-70B', '0f'.repeat(16)]) {
      expect([name, asked(name)]).toEqual([name, ['/channel', '/user', '/token', '/payment']]);
    }
  });
});
