/**
 * Channels whose upstream takes bytes alone have pictures fetched by address: a call of some hundred bytes has as much come
 * and go up as a body may have. What its upstream would not take is not fetched whole.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { MediaPlace } from '../../src/dialects/media-kind.ts';
import { findProvider } from '../../src/providers/registry.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MIB = 1024 * 1024;
/** What Claudes at Bedrock take: 5 MiB of base64. */
const MOST = 3.75 * MIB;
const PIECE = new Uint8Array(64 * 1024).fill(0xff);

let t: TestRelay;
/** Bytes that the host has given. */
let given = 0;
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch({ url }) {
    const { pathname, searchParams } = new URL(url);
    const bytes = Number(searchParams.get('bytes'));
    const headers = { 'content-type': 'image/jpeg' };
    if (pathname === '/told') return new Response(new Uint8Array(bytes).fill(0xff), { headers });
    let left = bytes;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (left <= 0) return controller.close();
      const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
      left -= piece.length;
      given += piece.length;
      controller.enqueue(piece);
    };
    return new Response(new ReadableStream({ pull }), { headers });
  },
});
/** At which paths upstreams were asked. */
const paths: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  maxRequestBodySize: 64 * MIB,
  async fetch(request) {
    paths.push(new URL(request.url).pathname);
    await request.text();
    return Response.json({ message: 'no' }, { status: 400 });
  },
});

beforeAll(async () => {
  t = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  const base_url = upstream.url.origin;
  const bedrock = { type: 33, base_url, key: 'key|eu-west-1' };
  await t.addChannel({ ...bedrock, models: 'claude-sonnet-4-5,llama' });
  await t.addChannel({ ...bedrock, models: 'claude-opus-4-5', priority: 10 });
  await t.addChannel({ type: 4, base_url, models: 'claude-opus-4-5,seeing' });
  await t.set({ EgressPorts: String(host.port), SelfUseModeEnabled: true, RetryTimes: 1 });
});
afterAll(async () => {
  await t.close();
  await host.stop(true);
  await upstream.stop(true);
});

const ask = (model: string, path: string, bytes: number, key = t.key) =>
  fetch(`${t.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model, max_tokens: 10 },
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `${host.url.origin}/${path}?bytes=${bytes}` } }],
        },
      ],
    }),
  });
const messageOf = async (answer: Response): Promise<string> => (await answer.json()).error.message;

it.each(['told', 'untold'])(
  'a picture whose length is %s is not fetched beyond what its upstream takes',
  async (path) => {
    paths.length = given = 0;
    const answer = await ask('claude-sonnet-4-5', path, 20 * MIB);
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toContain(`at most ${MOST} bytes`);
    expect(given).toBeLessThan(20 * MIB);
    expect(paths).toEqual([]);
    expect((await ask('claude-sonnet-4-5', path, MOST)).status).toBe(400);
    expect(paths).toEqual([expect.stringContaining('/invoke')]);
  },
);

it('a picture that one upstream does not take goes up to another that does', async () => {
  paths.length = 0;
  await ask('claude-opus-4-5', 'untold', 4 * MIB);
  expect(paths).toEqual(['/v1/chat/completions']);
});

it.each<[string, MediaPlace, number | null]>([
  ['claude-sonnet-4-5', 'image', MOST],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'image', MOST],
  ['claude-sonnet-4-5', 'file', null],
  ['meta.llama3-3-70b-instruct-v1:0', 'image', null],
  ['meta.llama3-3-70b-instruct-v1:0', 'file', 4.5 * MIB],
  ['amazon.nova-pro-v1:0', 'file', null],
])('Bedrock takes of %s, in the place of: %s, at most %p bytes', (model, place, most) => {
  expect(findProvider(33)?.mediaBytes?.({ model, place })).toBe(most);
});
