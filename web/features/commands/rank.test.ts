import { describe, expect, it } from 'bun:test';
import { ranked } from './rank.ts';

const names = (typed: string, ...commands: { name: string; words?: string[] }[]) =>
  ranked(commands, typed).map(({ name }) => name);

describe('what answers to a text', () => {
  it('stands in the order of how well it does: whole, at the start, at a word, inside', () => {
    const found = names(
      'log',
      { name: 'Catalogue' },
      { name: 'Usage log' },
      { name: 'Logs of drawings' },
      { name: 'Log' },
      { name: 'Wallet' },
    );
    expect(found).toEqual(['Log', 'Logs of drawings', 'Usage log', 'Catalogue']);
  });

  it('keeps its order among equals, and all of it for nothing typed', () => {
    expect(names('a', { name: 'ab' }, { name: 'aa' })).toEqual(['ab', 'aa']);
    expect(names('  ', { name: 'b' }, { name: 'a' })).toEqual(['b', 'a']);
  });

  it('is found by its other words, in any order of what was typed, whatever the case', () => {
    const channels = { name: '渠道', words: ['/channel', 'channel'] };
    const add = { name: 'Add channel', words: ['channel-add'] };
    expect(names('CHANNEL', channels, add)).toEqual(['渠道', 'Add channel']);
    expect(names('channel add', channels, add)).toEqual(['Add channel']);
    expect(names('渠', channels, add)).toEqual(['渠道']);
  });

  it('takes what was typed as text and not as a pattern', () => {
    expect(names('a.c', { name: 'abc' }, { name: 'a.c' })).toEqual(['a.c']);
    expect(names('(', { name: 'a (b)' })).toEqual(['a (b)']);
  });
});
