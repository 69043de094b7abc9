import { expect, it } from 'bun:test';
import { writeBlocks } from './anthropic-messages/write-parts.ts';
import { kindsOfMedia, textOfSource } from './media-kind.ts';

it.each([
  ['a.docx', 'text/plain', ['text', 'file']],
  ['a.PDF', 'text/plain', ['text', 'file']],
  ['a.txt', 'application/pdf', ['file', 'text']],
  ['a.py', 'text/plain', ['text']],
  ['a.txt', 'text/markdown', ['text']],
] as const)('%s that is called %s may be either', (name, mediaType, kinds) => {
  expect([...kindsOfMedia({ kind: 'data', mediaType, data: 'YSxi' }, 'file', name)]).toEqual([...kinds]);
});

it.each([
  ['text/csv', 'text'],
  ['TEXT/PLAIN', 'text'],
  [' text/markdown; charset=utf-8', 'text'],
  ['application/json', 'text'],
  ['application/json; charset=utf-8', 'text'],
  ['md', 'text'],
  ['application/pdf', 'file'],
  ['', 'file'],
] as const)('what is called %j is held as %s, and written as it', (mediaType, kind) => {
  const source = { kind: 'data' as const, mediaType, data: 'YSxi' };
  expect([...kindsOfMedia(source, 'file')]).toEqual([kind]);
  expect(textOfSource(source)).toBe(kind === 'text' ? 'a,b' : undefined);
  const blocks = writeBlocks([{ type: 'file', source }], {
    forModel: { model: 'claude-opus-5' },
    own: false,
    objectIn: () => undefined,
    drop() {},
  });
  expect(JSON.stringify(blocks).includes('"a,b"')).toBe(kind === 'text');
});
