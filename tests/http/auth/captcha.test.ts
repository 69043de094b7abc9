import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { type Pass, spendPass } from '../../../src/modules/auth/captcha/captcha.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { captchaAnswer, passCaptcha, passOf } from '../../support/captcha.ts';
import { codeOf } from '../../support/code-of.ts';

let people = 0;
/** Someone at an address of his own, so that tests do not share their budgets. */
const strangerOf = (api: TestApi, locale: 'zh' | 'en' = 'en') =>
  api.guest({ ip: `198.51.${100 + Math.floor(++people / 250)}.${people % 250}`, locale });

const check = (client: Client, key: string, position: unknown) =>
  client.post('/api/captcha/check', { captcha_key: key, position });

const bytesOf = (address: string): Buffer => Buffer.from(address.split(',')[1] ?? '', 'base64');

/** Without Redis, and with: the store is the same to everyone. */
const stores = [
  ['in process', {}],
  ['in Redis', { REDIS_URL: process.env.TEST_REDIS_URL ?? '' }],
] as const;

describe.each(stores)('the slide captcha, kept %s', (_name, env) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres', env);
  });
  afterAll(() => api.close());

  it('is two real pictures and the start of the piece, beside the envelope and in its data', async () => {
    const answer = await api.guest().get('/api/captcha');
    const body = JSON.parse(answer.text);
    const { success, message, data, ...fields } = body;
    expect([success, message]).toEqual([true, '']);
    expect(fields).toEqual(data);
    expect(Object.keys(data).sort()).toEqual(
      [
        'captcha_key',
        'code',
        'image_base64',
        'tile_base64',
        'tile_height',
        'tile_width',
        'tile_x',
        'tile_y',
      ].sort(),
    );
    expect([data.code, data.tile_width, data.tile_height]).toEqual([0, 60, 60]);
    expect(data.image_base64).toStartWith('data:image/jpeg;base64,');
    expect(await new Bun.Image(bytesOf(data.image_base64)).metadata()).toMatchObject({
      width: 300,
      height: 220,
    });
    expect(data.tile_base64).toStartWith('data:image/png;base64,');
    expect(await new Bun.Image(bytesOf(data.tile_base64)).metadata()).toMatchObject({
      width: 60,
      height: 60,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
  });

  it('does not say where the piece belongs: starts are alike, pictures hold nothing but picture', async () => {
    const client = strangerOf(api);
    const starts = new Set<number>();
    for (let n = 0; n < 5; n++) {
      const { data } = await client.get('/api/captcha');
      const answer = await captchaAnswer(api, data.captcha_key);
      starts.add(data.tile_x);
      expect(data.tile_y).toBe(answer?.y);
      expect(Math.abs(data.tile_x - (answer?.x ?? 0))).toBeGreaterThan(limits.captchaTolerance);
      // No comment, no EXIF in the one; no text in the other.
      const jpeg = bytesOf(data.image_base64).toString('latin1');
      expect(jpeg).not.toMatch(/\xff\xfe|\xff\xe1|Exif/);
      expect(bytesOf(data.tile_base64).toString('latin1')).not.toMatch(/tEXt|iTXt|zTXt|eXIf/);
    }
    expect(starts.size).toBe(1);
  });

  it('takes a place within five pixels, and no other', async () => {
    for (const [off, isRight] of [
      [0, true],
      [limits.captchaTolerance, true],
      [-limits.captchaTolerance, true],
      [limits.captchaTolerance + 1, false],
      [-limits.captchaTolerance - 1, false],
    ] as const) {
      const client = strangerOf(api);
      const { data } = await client.get('/api/captcha');
      const { x, y } = (await captchaAnswer(api, data.captcha_key)) ?? { x: 0, y: 0 };
      const answer = await check(client, data.captcha_key, { x: x + off, y });
      expect([off, answer.success]).toEqual([off, isRight]);
      expect(answer.data).toEqual({ code: isRight ? 0 : 1 });
      expect(JSON.parse(answer.text).code).toBe(isRight ? 0 : 'CAPTCHA_WRONG');
    }
    const { data } = await api.guest().get('/api/captcha');
    const { x, y } = (await captchaAnswer(api, data.captcha_key)) ?? { x: 0, y: 0 };
    expect((await check(strangerOf(api), data.captcha_key, { x, y: y + 6 })).success).toBe(false);
  });

  it('says in both languages that it was not right', async () => {
    const wrong = (locale: 'zh' | 'en') => check(strangerOf(api, locale), 'x', { x: 1, y: 1 });
    expect((await wrong('en')).message).toBe('Verification failed, please retry');
    expect((await wrong('zh')).message).toBe('验证失败，请重试');
  });

  it('is used up by the first answer, wrong or right', async () => {
    const client = strangerOf(api);
    const { data: first } = await client.get('/api/captcha');
    const right = await captchaAnswer(api, first.captcha_key);
    expect((await check(client, first.captcha_key, { x: 0, y: 0 })).success).toBe(false);
    expect((await check(client, first.captcha_key, right)).code).toBe('CAPTCHA_WRONG');

    const { data: second } = await client.get('/api/captcha');
    const answer = await captchaAnswer(api, second.captcha_key);
    const racing = await Promise.all(
      Array.from({ length: 10 }, () => check(strangerOf(api), second.captcha_key, answer)),
    );
    expect(racing.filter(({ success }) => success)).toHaveLength(1);
  });

  it('leaves a pass that is good once, in the same browser and network, for the one call', async () => {
    const client = strangerOf(api);
    await passCaptcha(api, client);
    const refused = (over: Partial<Pass>) => codeOf(spendPass(api.deps, { ...passOf(client), ...over }));
    expect(await refused({ purpose: 'another-call' })).toBe('CAPTCHA_NEEDED');
    expect(await refused({ ip: '203.0.113.9' })).toBe('CAPTCHA_NEEDED');
    expect(await refused({ flowId: 'another' })).toBe('CAPTCHA_NEEDED');
    expect(await refused({})).toBe('ok');
    expect(await refused({})).toBe('CAPTCHA_NEEDED');
  });

  it('belongs to a network, whose addresses change by themselves', async () => {
    const client = api.guest({ ip: '2001:db8:1:2::7' });
    await passCaptcha(api, client);
    await spendPass(api.deps, { ...passOf(client), ip: '2001:db8:1:2:ffff::1' });
  });

  it('counts wrong answers as wrong tries, also those sent at once, and right ones not', async () => {
    const client = strangerOf(api);
    for (let n = 0; n < 3; n++) await passCaptcha(api, client);
    const shown = await Promise.all(Array.from({ length: 5 }, () => client.get('/api/captcha')));
    const key = `critical:captcha:network:${client.headers['x-forwarded-for']}`;
    await api.deps.limiter.add({ key, windowSec: 1_200 }, 97);
    const guesses = await Promise.all(
      shown.map(({ data }) => check(client, data.captcha_key, { x: 0, y: 0 })),
    );
    expect(guesses.filter(({ status }) => status === 200)).toHaveLength(3);
    const { data } = await client.get('/api/captcha');
    const late = await check(client, data.captcha_key, await captchaAnswer(api, data.captcha_key));
    expect([late.status, late.success]).toEqual([429, false]);
  });

  it('counts wrong answers for their browser before all others behind its address', async () => {
    const [client, neighbour] = [strangerOf(api), strangerOf(api)];
    neighbour.headers['x-forwarded-for'] = client.headers['x-forwarded-for'] ?? '';
    const own = `critical:captcha:own:${sha256(passOf(client).flowId)}`;
    await api.deps.limiter.add({ key: own, windowSec: 1_200 }, 20);
    const { data } = await client.get('/api/captcha');
    const late = await check(client, data.captcha_key, await captchaAnswer(api, data.captcha_key));
    expect([late.status, late.success]).toEqual([429, false]);
    await passCaptcha(api, neighbour);
    // Who is known waits for none of them.
    const known = await api.as(await api.createUser(), { ip: client.headers['x-forwarded-for'] });
    const ofNetwork = `critical:captcha:network:${client.headers['x-forwarded-for']}`;
    await api.deps.limiter.add({ key: ofNetwork, windowSec: 1_200 }, 100);
    await passCaptcha(api, known);
  });

  it('refuses what is no position, without using the puzzle up', async () => {
    const client = strangerOf(api);
    const { data } = await client.get('/api/captcha');
    for (const position of [undefined, null, { x: '1', y: 1 }, { x: 1 }, [1, 2]]) {
      expect((await check(client, data.captcha_key, position)).code).toBe('BAD_PARAM');
    }
    const right = await captchaAnswer(api, data.captcha_key);
    expect((await check(client, data.captcha_key, right)).success).toBe(true);
  });
});

describe('a site without its store', () => {
  it('answers 503, and lets nobody pass', async () => {
    // Nothing listens at this port.
    const api = await openApi('postgres', { REDIS_URL: 'redis://127.0.0.1:1' });
    const client = strangerOf(api);
    expect((await client.get('/api/captcha')).status).toBe(503);
    expect((await check(client, 'x', { x: 1, y: 1 })).status).toBe(503);
    await api.close();
  });
});
