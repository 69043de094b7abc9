import { expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { letGoOfSent, weightOf } from './sent-body.ts';

const LONG = limits.sentTextChars + 1;

it('weighs what was parsed: texts by their bytes, names, and a little for each value', () => {
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeGreaterThan(1_000);
  expect(weightOf({ a: 'x'.repeat(1_000), list: [1, null, true] })).toBeLessThan(1_200);
  expect(weightOf('é'.repeat(1_000))).toBeGreaterThan(2_000);
});

it('lets go of what none of the texts has in it, but for its beginning', () => {
  const said = 'He said "so".\n'.repeat(LONG);
  const name = 'n'.repeat(LONG);
  const body = {
    messages: [
      { content: said },
      { content: [{ image_url: { url: `data:image/png;base64,${'A'.repeat(LONG)}` } }] },
    ],
    tools: [{ description: said, name }],
    user: 'short',
    data: ['B'.repeat(LONG), 7],
  };
  letGoOfSent(body, () => [said, JSON.stringify(body.tools), name]);
  expect(body.messages[0]).toEqual({ content: said });
  expect(body.tools).toEqual([{ description: said, name }]);
  const head = { image_url: { url: 'data:image/png;base64,'.padEnd(limits.sentHeadChars, 'A') } };
  expect(body.messages[1]).toEqual({ content: [head] });
  expect([body.user, body.data]).toEqual(['short', ['B'.repeat(limits.sentHeadChars), 7]]);
});

it.each([
  ['is read in another form', (file: string) => [Buffer.from(file, 'base64').toString()]],
  [
    'cannot be read without its end',
    (file: string) => {
      if (file.length < LONG) throw new Error('no file');
      return ['read'];
    },
  ],
])('keeps a body with a text that %s', (_, textsOf) => {
  const file = Buffer.from('read it '.repeat(LONG)).toString('base64');
  const body = { file, picture: 'A'.repeat(LONG) };
  letGoOfSent(body, () => textsOf(body.file));
  expect(body).toEqual({ file, picture: 'A'.repeat(LONG) });
});
