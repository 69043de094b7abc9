import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonTextList, textList } from './statement.ts';

test('a list of texts that are JSON is the list that any texts would be', () => {
  const written = fc.oneof(fc.json({ stringUnit: 'binary' }), fc.constant(''));
  fc.assert(fc.property(fc.array(written), (texts) => expect(jsonTextList(texts)).toBe(textList(texts))));
});

test('quotes and backslashes are kept, and what is absent is no text', () => {
  expect(textList(['a', 'b"c', '\\', '', 'NULL', null])).toBe('{"a","b\\"c","\\\\","","NULL",NULL}');
});
