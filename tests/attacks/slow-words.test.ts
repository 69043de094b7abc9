/** Words and names of a few kilobytes that took seconds to read: before anything was held, of callers without any quota. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type App, createApp } from '../../src/app.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let app: App;
let poor: string;
beforeAll(async () => {
  relay = await openTestRelay('pglite', {}, { TRUSTED_PROXIES: '127.0.0.1' });
  app = await createApp(relay.api.deps, async () => []);
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

describe('a run of one sign in an address, its query, cookies and other headers', () => {
  /** Four times what a server reads: what grows with the square takes seconds. */
  const CHARS = 64_000;
  /** Of this process' own time, which others on the machine do not lengthen: what is linear took less than a tenth of it. */
  const MOST_US = 1_000_000;
  const PLACES = ['/@', '/log/@/x/?p=@', '/login?next=/@/a&@', '/api/user/@x?p=@', '/v1/models/@x?key=@'];
  let networks = 0;

  it.each([
    ...['/', '\\', './', '../', '%2F', '%5C', '%25', '%0a', '%00', '%C3%A9', '%ff', 'é'],
    ...['$', '$a/', '{', '{-$a}', '*', '@', ':', ';', '; ', ', ', '=', 'q;', '"', '['],
  ])('takes no longer than in proportion: %j', async (unit) => {
    const run = unit.repeat(CHARS / unit.length);
    for (const place of PLACES) {
      const headers = {
        cookie: `session=${run}; columns=${run}; ${run}`,
        authorization: `Bearer ${run}`,
        'accept-language': run,
        'accept-encoding': run,
        'x-forwarded-for': `10.0.${networks >> 8}.${networks++ & 255}`,
      };
      const request = new Request(`http://localhost${place.replaceAll('@', () => run)}`, { headers });
      const before = process.cpuUsage();
      const answer = await app.front(request, null);
      const { user } = process.cpuUsage(before);
      expect([place, answer.status < 500, user < MOST_US]).toEqual([place, true, true]);
      expect(answer.headers.get('location') ?? '/').toMatch(/^\/(?![\\/])/);
      await answer.arrayBuffer();
    }
  });
});
