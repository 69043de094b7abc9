/** What all records together must hold to. */
import { describe, expect, it } from 'bun:test';
import { providers } from '../../src/providers/registry.ts';
import { providerCases } from './cases/openai-wire.ts';
import { operationCases } from './cases/operations.ts';
import { ownWireCases } from './cases/own-wire.ts';

/** The types of the table. */
const TYPES = [
  1, 2, 3, 4, 5, 8, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 31, 33, 34, 35, 36, 37, 38, 39,
  40, 41, 42, 43, 44, 45, 46, 47,
];

describe('the registry', () => {
  it('gives each type one record and each record a name of its own', () => {
    const types = providers.map(({ type }) => type);
    const slugs = providers.map(({ slug }) => slug);
    expect(new Set(types).size).toBe(types.length);
    expect(new Set(slugs).size).toBe(slugs.length);
  });

  it('has both languages for every text that operators read', () => {
    for (const { form } of providers) {
      for (const text of [form.notice, form.other?.label]) {
        if (text) expect([text.zh.length > 0, text.en.length > 0]).toEqual([true, true]);
      }
    }
  });

  it('says whose list the default prices are where the default address asks others', () => {
    const noticed = providers.flatMap(({ type, baseUrl, form }) => {
      const { zh = '', en = '' } = form.notice ?? {};
      return /默认价格/.test(zh) && /default prices/i.test(en) ? [[type, baseUrl, zh, en] as const] : [];
    });
    expect(noticed.map(([type]) => type).sort()).toEqual([17, 26, 45]);
    for (const [, address, ...texts] of noticed)
      for (const text of texts) expect(text).toContain(new URL(address ?? '').host);
  });

  it('asks for an address wherever there is no default one', () => {
    for (const { baseUrl, form } of providers) {
      if (baseUrl === null) expect(form.baseUrl).toBe('required');
      else expect(baseUrl).not.toMatch(/\/(v1)?$/);
    }
  });

  it('has every type of the table', () => {
    expect(providers.map(({ type }) => type).sort((a, b) => a - b)).toEqual(TYPES);
  });

  it('has a case for each type that chats, and for each other operation of each type', () => {
    const chatting = providers.filter(({ speaks, wire }) => wire || speaks.chat);
    const cases = [...providerCases, ...ownWireCases].map(({ type }) => type);
    expect(cases.toSorted()).toEqual(chatting.map(({ type }) => type).toSorted());
    // A socket of both ways is tried where such sockets are, and work that goes on where all of it is.
    const elsewhere = new Set(['chat', 'realtime', 'task']);
    const served = providers.flatMap(({ type, speaks }) =>
      Object.keys(speaks).flatMap((operation) => (elsewhere.has(operation) ? [] : [`${type} ${operation}`])),
    );
    const tried = operationCases.map(({ type, operation }) => `${type} ${operation}`);
    expect([...new Set(tried)].toSorted()).toEqual(served.toSorted());
  });
});
