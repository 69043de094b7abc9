import { describe, expect, it } from 'bun:test';
import { chatRows, chatText } from './chat-rows.ts';

describe('chat links as rows', () => {
  it('are read from a list of objects, and written as one', () => {
    const rows = [
      { name: 'Chat', link: 'https://chat.example' },
      { name: 'A "b"', link: 'opencat://x?k={key}' },
    ];
    expect(chatRows('[{"Chat":"https://chat.example","A \\"b\\"":"opencat://x?k={key}"}]')).toEqual(rows);
    expect(chatRows(chatText(rows))).toEqual(rows);
    expect(chatText([])).toBe('[]');
  });

  it('leave out what nothing is written in, and keep what is half written', () => {
    const text = chatText([
      { name: ' ', link: '' },
      { name: '', link: 'https://a.example' },
    ]);
    expect(JSON.parse(text)).toEqual([{ '': 'https://a.example' }]);
  });

  it.each(['{}', '[1]', '[{"a":1}]', '[{"":"x"}]', '{', ''])('are none in %s', (text) => {
    expect(chatRows(text)).toBeNull();
  });
});
