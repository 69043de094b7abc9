/**
 * A form whose parts are named so that what goes up is read as other parts: parsers differ in what a backslash before a
 * quote means, and what one takes for the name of a file is another one's field.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let t: TestRelay;
let upstream: Upstream;
beforeAll(async () => {
  t = await openTestRelay();
  upstream = await startUpstream();
  await t.addChannel({ type: 1, base_url: upstream.base, models: 'cheap-draw' });
  await t.set({ ModelPrice: { 'cheap-draw': 0.001, 'dear-draw': 0.2 } });
});
afterAll(async () => {
  await upstream.close();
  await t.close();
});

const part = (head: string, body: string) =>
  `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
const edit = (...parts: string[]) =>
  fetch(`${t.base}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.key}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: `${FORM}${parts.join('')}--b--\r\n`,
  });

const FORM =
  part('name="model"', 'cheap-draw') +
  part('name="prompt"', 'x') +
  part('name="image"; filename="a.png"\r\ncontent-type: image/png', 'PNG');
const TEXT = '\r\ncontent-type: text/plain';

it.each<[string, (name: string) => string]>([
  ['a file named with a backslash', (name) => `name="a\\\\"; filename="; name=${name}; x="${TEXT}`],
  ['a file named with an escaped quote', (name) => `name="a\\"; name=${name}; x="; filename="f"${TEXT}`],
  ['a field named with a backslash', (name) => `name="a\\\\"; x="; name=${name}; y="`],
  ['a file of another name', (name) => `name="x_${name}"; filename="f"${TEXT}`],
  ['a field with blanks', (name) => `name=" ${name} "`],
  ['a field with letters that nobody sees', (name) => `name="${name}\u200b"`],
])('%s brings no field past the price', async (_, head) => {
  for (const [name, value] of [
    ['model', 'dear-draw'],
    ['n', '10'],
    ['size', '1792x1024'],
  ] as const) {
    const answer = await edit(part(head(name), value));
    const { error } = await answer.json();
    expect([name, answer.status, error?.type]).toEqual([name, 400, 'invalid_request_error']);
  }
  expect(upstream.seen).toHaveLength(0);
});
