/** Words and names of a few kilobytes that took seconds to read: before anything was held, of callers without any quota. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let poor: string;
beforeAll(async () => {
  relay = await openTestRelay('pglite');
  poor = await relay.addToken({}, await relay.api.createUser({ quota: 0 }));
});
afterAll(() => relay.close());

const post = async (path: string, body: string | FormData) => {
  const answer = await fetch(relay.base + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${poor}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
  });
  const { error } = await answer.json();
  return { status: answer.status, code: error.code, message: error.message };
};
const MARKS = '\u0301\u0316'.repeat(15_000);
const zeros = '0'.repeat(20_000);

describe('a size in a long word', () => {
  const fields = ['size', 'quality', 'resolution'];
  const refusal = (field: string) => ({
    status: 400,
    code: 'invalid_request',
    message: expect.stringContaining(`Invalid '${field}': it is too long.`),
  });
  it.each(fields)('is refused before it is read, as %s of a picture', async (field) => {
    const body = { model: 'no-such-model', prompt: 'x', [field]: `${zeros}x${zeros}y` };
    expect(await post('/v1/images/generations', JSON.stringify(body))).toEqual(refusal(field));
  });

  it.each([
    ['edits', 'size'],
    ['edits', 'quality'],
    ['variations', 'size'],
  ])('is refused in the form of %s, as %s', async (path, field) => {
    const form = new FormData();
    form.set('model', 'no-such-model');
    form.set('prompt', 'x');
    form.set('image', new File(['x'], 'x.png', { type: 'image/png' }));
    form.set(field, `${zeros}x${zeros}y`);
    expect(await post(`/v1/images/${path}`, form)).toEqual(refusal(field));
  });
});

it('a size of a picture that is marks without end is held for as the largest', async () => {
  const tools = [{ type: 'image_generation', size: `1024x1024${MARKS}` }];
  const body = JSON.stringify({ model: 'gpt-4o', input: 'x', tools });
  expect(await post('/v1/responses', body)).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
});

const chat = (names: string[]) =>
  `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],${names.map((name) => `"${name}":1`).join()}}`;
const many = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, n) => `${name}${n}`);

describe('names of fields', () => {
  it.each<[string, string[]]>([
    ['of letters that fold to eighteen', many(4_000, '\ufdfa'.repeat(200))],
    ['of the same, written by escapes', many(4_000, '\\ufdfa'.repeat(200))],
    ['that are one and long', ['\ufdfa'.repeat(1_000_000)]],
    ['of brackets and dots', many(4_000, '[.'.repeat(250))],
  ])('are refused where folding them would take long: %s', async (_what, names) => {
    expect(await post('/v1/chat/completions', chat(names))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: expect.stringContaining('different keys, or too long ones'),
    });
  });

  it.each<[string, string[]]>([
    ['thousands in Chinese', many(3_000, '时长与画质')],
    ['tens of thousands with lines', many(40_000, 'a_usual_field_')],
    ['letters with marks without end', [`a${MARKS}`]],
  ])('pass where they are %s', async (_what, names) => {
    expect(await post('/v1/chat/completions', chat(names))).toMatchObject({
      status: 403,
      code: 'insufficient_user_quota',
    });
  });
});
