import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';
import { channelBody } from './support.ts';

describe('tests and model lists, against an upstream', () => {
  let api: TestApi;
  let root: Client;
  let upstream: Upstream;
  beforeAll(async () => {
    [api, upstream] = await Promise.all([openApi('pglite'), startUpstream()]);
    root = await api.root();
  });
  afterAll(async () => {
    await api.close();
    await upstream.close();
  });

  const make = async (over: object = {}): Promise<number> => {
    const body = channelBody({ base_url: upstream.base, models: 'gpt-4o,gpt-4o@401,gpt-4o@html', ...over });
    return (await root.post('/api/channel/', body)).data.ids[0];
  };

  it('a test sends one short call with the channel’s key and mapping, and costs its user nothing', async () => {
    const id = await make({ model_mapping: '{"gpt-4o":"gpt-4o-2024"}' });
    const before = (await root.get('/api/user/self')).data;
    const answer = JSON.parse((await root.get(`/api/channel/test/${id}`)).text);
    expect(answer).toEqual({
      success: true,
      message: '',
      data: { model: 'gpt-4o' },
      time: expect.any(Number),
    });
    expect(upstream.chats.at(-1)).toMatchObject({
      model: 'gpt-4o-2024',
      headers: { authorization: 'Bearer sk-upstream-0123456789' },
    });
    const after = (await root.get('/api/user/self')).data;
    expect([after.quota, after.used_quota]).toEqual([before.quota, before.used_quota]);
    expect((await root.get(`/api/channel/${id}`)).data.test_time).toBeGreaterThan(0);
  });

  it('a failed test tells why, without the key or the address', async () => {
    const id = await make();
    for (const model of ['gpt-4o@401', 'gpt-4o@html', 'gpt-4o@reset']) {
      const { text } = await root.get(`/api/channel/test/${id}?model=${encodeURIComponent(model)}`);
      const answer = JSON.parse(text);
      expect(answer.success).toBe(false);
      expect(answer.message).not.toBe('');
      expect(text).not.toContain('sk-upstream-0123456789');
      expect(text).not.toContain(upstream.base);
    }
  });

  it('the models are listed, of a saved channel and of a new one', async () => {
    const id = await make();
    const saved = (await root.get(`/api/channel/fetch_models/${id}`)).data;
    expect(saved.length).toBeGreaterThan(0);
    const given = { type: 1, base_url: `${upstream.base}/`, key: 'sk-new-0123456789012345' };
    expect((await root.post('/api/channel/fetch_models', given)).data).toEqual(saved);
    expect(upstream.seen.at(-1)?.headers.authorization).toBe('Bearer sk-new-0123456789012345');
    // Nobody is asked at an address of which a secret is not told.
    const masked = { ...given, base_url: `${upstream.base}?code=***` };
    expect(await root.post('/api/channel/fetch_models', masked)).toMatchObject({
      code: 'CHANNEL_SECRET_AGAIN',
    });
  });

  it('an upstream that is not there is a refusal with its reason, not an error', async () => {
    const given = { type: 1, base_url: 'http://127.0.0.1:1', key: 'sk-new-0123456789012345' };
    const answer = await root.post('/api/channel/fetch_models', given);
    expect(answer).toMatchObject({ status: 200, success: false, code: 'CHANNEL_FETCH' });
    expect(answer.text).not.toContain('sk-new');
  });
});
