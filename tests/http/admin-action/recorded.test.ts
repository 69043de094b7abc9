/**
 * That nothing an administrator does goes unrecorded: every call of his that writes leaves a row that says who did what
 * to what, from where, with before and after. A call that stands neither in the table nor among the exceptions fails, so
 * that the next one cannot be forgotten.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../../src/api.ts';
import { isAdminAction, readDetail } from '../../../src/core/admin-actions.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { type Answer, type Client, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { actingReads, callName, leastOf, RANK } from '../../support/contract.ts';
import { type EpayServer, epayOptions, startEpay } from '../../support/payment/epay-server.ts';
import { channelBody, channelClient, ScriptedProbe } from '../channel/support.ts';

const IP = '203.0.113.77';

interface Recorded {
  action: string;
  target: string;
  /** What its row tells, as `name: before → after`; a part of what it tells. */
  tells: readonly string[];
}

/** Makes the call and answers it, with what its row must tell. */
type Deed = (world: World) => Promise<{ answer: Answer; row: Recorded }>;

interface World {
  api: TestApi;
  /** Root before the calls, with a scripted upstream behind the channels. */
  root: Pick<Client, 'userId' | 'get' | 'post' | 'put' | 'del'>;
  channel(over?: object): Promise<number>;
  user(): Promise<number>;
  /** A user's unpaid order at a gateway that is there. */
  order(): Promise<{ id: number; tradeNo: string }>;
  /** A redemption code, and the answer of the call that made it. */
  code(): Promise<{ answer: Answer; id: number }>;
  activity(): Promise<number>;
  prompt(): Promise<number>;
  role(): Promise<number>;
}

const appBody = { name: 'app', redirect_uris: ['https://app.example/back'], scopes: ['profile'] };

/** Every call of administrators that changes something. */
const DEEDS: Record<string, Deed> = {
  'DELETE /api/log': async ({ root }) => ({
    answer: await root.del('/api/log/?target_timestamp=1700000000'),
    row: { action: 'log.delete', target: 'log', tells: ['until = 1700000000'] },
  }),
  'POST /api/oauth_app/admin': async ({ root }) => {
    const answer = await root.post('/api/oauth_app/admin/', appBody);
    const tells = ['name: - → app', 'scopes: - → profile', 'enabled: - → true'];
    return { answer, row: { action: 'oauth_app.create', target: `oauth_app:${answer.data.id}`, tells } };
  },
  'POST /api/oauth_app/admin/batch': async ({ root }) => {
    const { id } = (await root.post('/api/oauth_app/admin/', appBody)).data;
    return {
      answer: await root.post('/api/oauth_app/admin/batch', { ids: [id], action: 'disable' }),
      row: { action: 'oauth_app.update', target: `oauth_app:${id}`, tells: ['enabled: true → false'] },
    };
  },
  'PUT /api/oauth_app/admin/{id}': async ({ root }) => {
    const { id } = (await root.post('/api/oauth_app/admin/', appBody)).data;
    return {
      answer: await root.put(`/api/oauth_app/admin/${id}`, { name: 'other', enabled: false }),
      row: {
        action: 'oauth_app.update',
        target: `oauth_app:${id}`,
        tells: ['name: app → other', 'enabled: true → false'],
      },
    };
  },
  'POST /api/oauth_app/admin/{id}/secret': async ({ root }) => {
    const { id } = (await root.post('/api/oauth_app/admin/', { ...appBody, confidential: true })).data;
    return {
      answer: await root.post(`/api/oauth_app/admin/${id}/secret`),
      row: { action: 'oauth_app.secret', target: `oauth_app:${id}`, tells: ['client_secret: secret'] },
    };
  },
  'DELETE /api/oauth_app/admin/{id}': async ({ root }) => {
    const { id } = (await root.post('/api/oauth_app/admin/', appBody)).data;
    return {
      answer: await root.del(`/api/oauth_app/admin/${id}`),
      row: { action: 'oauth_app.delete', target: `oauth_app:${id}`, tells: ['name: app → -'] },
    };
  },
  'POST /api/topup/{id}/check': async ({ root, order }) => {
    const { id, tradeNo } = await order();
    return {
      answer: await root.post(`/api/topup/${id}/check`),
      row: { action: 'topup.check', target: `topup:${id}`, tells: [`trade_no = ${tradeNo}`] },
    };
  },
  'POST /api/topup/{id}/complete': async ({ root, order }) => {
    const { id, tradeNo } = await order();
    const tells = ['status: pending → success', `trade_no = ${tradeNo}`, 'quota = 500000', 'reason = seen'];
    return {
      answer: await root.post(`/api/topup/${id}/complete`, { reason: 'seen' }),
      row: { action: 'topup.complete', target: `topup:${id}`, tells },
    };
  },
  'POST /api/topup/{id}/void': async ({ root, order }) => {
    const { id, tradeNo } = await order();
    const tells = [`trade_no = ${tradeNo}`, 'reason = agreed', 'status: pending → voided'];
    return {
      answer: await root.post(`/api/topup/${id}/void`, { reason: 'agreed' }),
      row: { action: 'topup.void', target: `topup:${id}`, tells },
    };
  },
  'POST /api/topup/{id}/refund': async ({ root, order }) => {
    const { id } = await order();
    await root.post(`/api/topup/${id}/complete`, { reason: 'seen' });
    const tells = ['status: success → refunded', 'taken = 500000', 'written_off = 0', 'reason = wrong'];
    return {
      answer: await root.post(`/api/topup/${id}/refund`, { reason: 'wrong' }),
      row: { action: 'topup.refund', target: `topup:${id}`, tells },
    };
  },
  'POST /api/user/': async ({ root }) => {
    const answer = await root.post('/api/user/', { username: 'recorded', password: PASSWORD });
    const tells = ['username: - → recorded', 'role: - → 1', 'quota: - → 0'];
    return { answer, row: { action: 'user.create', target: `user:${answer.data.id}`, tells } };
  },
  'PUT /api/user/': async ({ root, user }) => {
    const id = await user();
    const body = { id, group: 'vip', remarks: 'r', password: 'Another1pass', add_quota: 5, reason: 'why' };
    return {
      answer: await root.put('/api/user/', body),
      row: {
        action: 'user.quota',
        target: `user:${id}`,
        tells: [
          'group_name: default → vip',
          'remarks:  → r',
          'password: secret',
          'quota: 0 → 5',
          'reason = why',
        ],
      },
    };
  },
  'POST /api/user/manage': async ({ root, user }) => {
    const id = await user();
    return {
      answer: await root.post('/api/user/manage', { id, action: 'promote' }),
      row: { action: 'user.promote', target: `user:${id}`, tells: ['role: 1 → 10'] },
    };
  },
  'DELETE /api/user/{id}': async ({ root, user }) => {
    const id = await user();
    return {
      answer: await root.del(`/api/user/${id}`),
      row: { action: 'user.erase', target: `user:${id}`, tells: [`pseudonym = deleted-${id}`] },
    };
  },
  'DELETE /api/user/{id}/2fa': async ({ api, root, user }) => {
    const id = await user();
    await api.deps.db.query(
      `insert into second_factors (user_id, secret_sealed, enabled_at) values (${id}, 'x', 1)`,
    );
    return {
      answer: await root.del(`/api/user/${id}/2fa`),
      row: { action: 'user.two_factor_off', target: `user:${id}`, tells: ['two_factor: true → false'] },
    };
  },
  'DELETE /api/user/{id}/passkeys/{passkey}': async ({ api, root, user }) => {
    const id = await user();
    const [row] = await api.deps.db.query<{ id: number }>(
      `insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
       values (${id}, 'phone', 'x', '', 0, 'localhost') returning id`,
    );
    return {
      answer: await root.del(`/api/user/${id}/passkeys/${row?.id}`),
      row: { action: 'user.passkey_remove', target: `user:${id}`, tells: ['passkey: phone → -'] },
    };
  },
  'POST /api/channel/': async ({ root }) => {
    const answer = await root.post('/api/channel/', channelBody({ name: 'new one', weight: 3 }));
    const tells = ['name: - → new one', 'models: - → gpt-4o, gpt-4o-mini', 'weight: - → 3', 'keys = 1'];
    return { answer, row: { action: 'channel.create', target: `channel:${answer.data.ids[0]}`, tells } };
  },
  'PUT /api/channel/': async ({ root, channel }) => {
    const id = await channel({ param_override: { api_key: 'sk-upstream-1', seed: 1 } });
    const change = {
      name: 'other',
      models: 'gpt-4o,o3',
      weight: 9,
      key: 'sk-upstream-9876543210',
      param_override: { api_key: 'sk-upstream-2', seed: 1 },
    };
    return {
      answer: await root.put('/api/channel/', { id, ...change }),
      row: {
        action: 'channel.update',
        target: `channel:${id}`,
        tells: [
          'name: made → other',
          'models: gpt-4o-mini → o3',
          'weight: 0 → 9',
          'key: secret',
          'param_override.api_key: secret',
        ],
      },
    };
  },
  'DELETE /api/channel/{id}': async ({ root, channel }) => {
    const id = await channel();
    return {
      answer: await root.del(`/api/channel/${id}/`),
      row: { action: 'channel.delete', target: `channel:${id}`, tells: ['name: made → -', 'type: 1 → -'] },
    };
  },
  'DELETE /api/channel/disabled': async ({ root, channel }) => {
    const id = await channel();
    await root.put('/api/channel/', { id, status: 2 });
    return {
      answer: await root.del('/api/channel/disabled'),
      row: { action: 'channel.delete_disabled', target: 'channels', tells: [`#${id}: made → -`] },
    };
  },
  'POST /api/channel/batch': async ({ root, channel }) => {
    const id = await channel();
    return {
      answer: await root.post('/api/channel/batch', { ids: [id] }),
      row: { action: 'channel.delete_many', target: 'channels', tells: [`#${id}: made → -`] },
    };
  },
  'POST /api/channel/batch/tag': async ({ root, channel }) => {
    const id = await channel();
    return {
      answer: await root.post('/api/channel/batch/tag', { ids: [id], tag: 'blue' }),
      row: { action: 'channel.tag', target: 'channels', tells: [`#${id}.tag:  → blue`] },
    };
  },
  'POST /api/channel/batch/status': async ({ root, channel }) => {
    const id = await channel();
    return {
      answer: await root.post('/api/channel/batch/status', { ids: [id], status: 2 }),
      row: { action: 'channel.disable', target: 'channels', tells: [`#${id}.status: 1 → 2`] },
    };
  },
  'POST /api/channel/fix': async ({ root }) => ({
    answer: await root.post('/api/channel/fix'),
    row: { action: 'channel.fix', target: 'channels', tells: ['changed = 0'] },
  }),
  'POST /api/channel/copy/{id}': async ({ root, channel }) => {
    const id = await channel();
    const answer = await root.post(`/api/channel/copy/${id}`);
    const tells = ['name: - → made copy', `from = ${id}`];
    return { answer, row: { action: 'channel.copy', target: `channel:${answer.data.id}`, tells } };
  },
  'POST /api/channel/{id}/keys/enable': async ({ api, root, channel }) => {
    const id = await channel();
    const rows = await api.deps.db.query<{ id: number }>(
      `update channel_keys set status = 3 where channel_id = ${id} returning id`,
    );
    return {
      answer: await root.post(`/api/channel/${id}/keys/enable`, { ids: rows.map((row) => row.id) }),
      row: { action: 'channel.keys_enable', target: `channel:${id}`, tells: ['positions = 1'] },
    };
  },
  'PUT /api/channel/tag': async ({ root, channel }) => {
    const id = await channel({ tag: 'red' });
    return {
      answer: await root.put('/api/channel/tag', { tag: 'red', new_tag: 'green', priority: 4 }),
      row: {
        action: 'channel.tag_edit',
        target: 'channels',
        tells: [`#${id}.tag: red → green`, `#${id}.priority: 0 → 4`, 'of = red'],
      },
    };
  },
  'POST /api/channel/tag/enabled': async ({ root, channel }) => {
    const id = await channel({ tag: 'on' });
    await root.put('/api/channel/', { id, status: 2 });
    return {
      answer: await root.post('/api/channel/tag/enabled', { tag: 'on' }),
      row: { action: 'channel.enable', target: 'channels', tells: [`#${id}.status: 2 → 1`] },
    };
  },
  'POST /api/channel/tag/disabled': async ({ root, channel }) => {
    const id = await channel({ tag: 'off' });
    return {
      answer: await root.post('/api/channel/tag/disabled', { tag: 'off' }),
      row: { action: 'channel.disable', target: 'channels', tells: [`#${id}.status: 1 → 2`] },
    };
  },
  'GET /api/channel/test': async ({ root, channel }) => {
    await channel();
    const answer = await root.get('/api/channel/test');
    const tells = [`count = ${answer.data.total}`];
    return { answer, row: { action: 'channel.test_all', target: 'channels', tells } };
  },
  'POST /api/channel/test/cancel': async ({ api, root }) => {
    await underWay(api, 'channel.test');
    return {
      answer: await root.post('/api/channel/test/cancel'),
      row: { action: 'channel.test_cancel', target: 'channels', tells: [] },
    };
  },
  'GET /api/channel/update_balance': async ({ root, channel }) => {
    await channel();
    const answer = await root.get('/api/channel/update_balance');
    const tells = [`count = ${answer.data.total}`];
    return { answer, row: { action: 'channel.balance_all', target: 'channels', tells } };
  },
  'POST /api/channel/update_balance/cancel': async ({ api, root }) => {
    await underWay(api, 'channel.balance');
    return {
      answer: await root.post('/api/channel/update_balance/cancel'),
      row: { action: 'channel.balance_cancel', target: 'channels', tells: [] },
    };
  },
  'PUT /api/option/': async ({ root }) => ({
    answer: await root.put('/api/option/', { key: 'RetryTimes', value: '4' }),
    row: { action: 'option.set', target: 'option:RetryTimes', tells: ['RetryTimes: 2 → 4'] },
  }),
  'POST /api/option/rest_model_ratio': async ({ api, root }) => {
    await api.deps.options.set({ CacheRatio: '{"only": 0.5}' });
    return {
      answer: await root.post('/api/option/rest_model_ratio'),
      row: {
        action: 'option.reset_ratios',
        target: 'option:ModelRatio',
        tells: ['CacheRatio.only: 0.5 → -'],
      },
    };
  },
  'PUT /api/model_hub/admin': async ({ root }) => {
    await root.put('/api/model_hub/admin/', { update: [{ name: 'm', ratio: 2, desc: 'old' }], delete: [] });
    return {
      answer: await root.put('/api/model_hub/admin/', {
        update: [{ name: 'm', ratio: 3, desc: 'new' }],
        delete: [],
      }),
      row: {
        action: 'model_hub.save',
        target: 'model_hub',
        tells: ['entries.m.desc: old → new', 'ModelRatio.m: 2 → 3', 'updated = m'],
      },
    };
  },
  'POST /api/redemption/': async ({ code }) => {
    const { answer, id } = await code();
    return {
      answer,
      row: {
        action: 'redemption.create',
        target: `redemption:${id}`,
        tells: ['name: - → gift', 'quota: - → 5', 'expired_time: - → -1', 'status: - → 1'],
      },
    };
  },
  'PUT /api/redemption/': async ({ root, code }) => {
    const { id } = await code();
    return {
      answer: await root.put('/api/redemption/', { id, name: 'other', quota: 6 }),
      row: {
        action: 'redemption.update',
        target: `redemption:${id}`,
        tells: ['name: gift → other', 'quota: 5 → 6'],
      },
    };
  },
  'DELETE /api/redemption/{id}': async ({ root, code }) => {
    const { id } = await code();
    return {
      answer: await root.del(`/api/redemption/${id}`),
      row: { action: 'redemption.delete', target: `redemption:${id}`, tells: ['name: gift → -'] },
    };
  },
  'DELETE /api/redemption/invalid': async ({ root, code }) => {
    const { id } = await code();
    await root.put('/api/redemption/?status_only=true', { id, status: 2 });
    return {
      answer: await root.del('/api/redemption/invalid'),
      row: {
        action: 'redemption.delete_invalid',
        target: `redemption:${id}`,
        tells: ['status: 2 → -', 'removed = 1'],
      },
    };
  },
  'POST /api/redemption/batch': async ({ root, code }) => {
    const [one, two] = [await code(), await code()];
    return {
      answer: await root.post('/api/redemption/batch', { ids: [one.id, two.id], action: 'disable' }),
      row: {
        action: 'redemption.disable',
        target: 'redemptions',
        tells: [`#${one.id}.status: 1 → 2`, `#${two.id}.status: 1 → 2`],
      },
    };
  },
  'POST /api/redemption/keys': async ({ root, code }) => {
    const { id } = await code();
    return {
      answer: await root.post('/api/redemption/keys', { ids: [id] }),
      row: { action: 'redemption.reveal', target: `redemption:${id}`, tells: [] },
    };
  },
  'POST /api/activity/': async ({ root }) => {
    const answer = await root.post('/api/activity/', { name: 'spring', desc: 'for all', quota: 5 });
    const tells = ['name: - → spring', 'desc: - → for all', 'quota: - → 5', 'status: - → true'];
    return { answer, row: { action: 'activity.create', target: `activity:${answer.data.id}`, tells } };
  },
  'POST /api/activity/batch': async ({ root, activity }) => {
    const id = await activity();
    return {
      answer: await root.post('/api/activity/batch', { ids: [id], action: 'end' }),
      row: { action: 'activity.update', target: `activity:${id}`, tells: ['status: true → false'] },
    };
  },
  'PUT /api/activity/{id}': async ({ root, activity }) => {
    const id = await activity();
    return {
      answer: await root.put(`/api/activity/${id}`, { name: 'summer', quota: 6, status: false }),
      row: {
        action: 'activity.update',
        target: `activity:${id}`,
        tells: ['name: spring → summer', 'quota: 5 → 6', 'status: true → false'],
      },
    };
  },
  'POST /api/activity/{id}/dispatch': async ({ root, activity, user }) => {
    const [id, one, two] = [await activity(), await user(), await user()];
    const answer = await root.post(`/api/activity/${id}/dispatch`, { user_ids: [two, one] });
    while ((await root.get(`/api/activity/${id}/dispatch`)).data.state === 'running') await Bun.sleep(10);
    const tells = ['quota = 5', `user_ids = ${one}, ${two}`];
    return { answer, row: { action: 'activity.reward', target: `activity:${id}`, tells } };
  },
  'POST /api/activity/reward': async ({ root, activity, user }) => {
    const [id, one, two] = [await activity(), await user(), await user()];
    return {
      answer: await root.post('/api/activity/reward', { activity_id: id, user_ids: [two, one] }),
      row: {
        action: 'activity.reward',
        target: `activity:${id}`,
        tells: ['quota = 5', `user_ids = ${one}, ${two}`],
      },
    };
  },
  'POST /api/prompt/suggest': async ({ root }) => {
    const answer = await root.post('/api/prompt/suggest', { instruction: 'Say it.', mcp: ['tollgate-map'] });
    const tells = ['instruction: - → Say it.', 'mcp: - → tollgate-map', 'release: - → false'];
    return { answer, row: { action: 'prompt.create', target: `prompt:${answer.data.id}`, tells } };
  },
  'POST /api/prompt/suggest/batch': async ({ root, prompt }) => {
    const id = await prompt();
    return {
      answer: await root.post('/api/prompt/suggest/batch', { ids: [id], action: 'release' }),
      row: { action: 'prompt.update', target: `prompt:${id}`, tells: ['release: false → true'] },
    };
  },
  'PUT /api/prompt/suggest/{id}': async ({ root, prompt }) => {
    const id = await prompt();
    return {
      answer: await root.put(`/api/prompt/suggest/${id}`, { sort: 3, release: true }),
      row: {
        action: 'prompt.update',
        target: `prompt:${id}`,
        tells: ['sort: 0 → 3', 'release: false → true'],
      },
    };
  },
  'DELETE /api/prompt/suggest/{id}': async ({ root, prompt }) => {
    const id = await prompt();
    return {
      answer: await root.del(`/api/prompt/suggest/${id}`),
      row: { action: 'prompt.delete', target: `prompt:${id}`, tells: ['instruction: Say it. → -'] },
    };
  },
  'POST /api/supplier/admin/': async ({ root }) => {
    const answer = await root.post('/api/supplier/admin/', {
      name: 'made',
      base_url: 'https://made.example',
    });
    const tells = ['name: - → made', 'base_url: - → https://made.example', 'type: - → 1', 'sdk: - → openai'];
    return { answer, row: { action: 'supplier.create', target: `supplier:${answer.data.id}`, tells } };
  },
  'POST /api/supplier/admin/batch': async ({ root }) => {
    const made = await root.post('/api/supplier/admin/', { name: 'many', base_url: 'https://many.example' });
    const { id } = made.data;
    return {
      answer: await root.post('/api/supplier/admin/batch', { ids: [id], action: 'disable' }),
      row: { action: 'supplier.update', target: `supplier:${id}`, tells: ['disable: false → true'] },
    };
  },
  'PUT /api/supplier/admin/{id}': async ({ root }) => {
    const made = await root.post('/api/supplier/admin/', { name: 'then', base_url: 'https://then.example' });
    const { id } = made.data;
    return {
      answer: await root.put(`/api/supplier/admin/${id}`, { name: 'now', disable: true }),
      row: {
        action: 'supplier.update',
        target: `supplier:${id}`,
        tells: ['name: then → now', 'disable: false → true'],
      },
    };
  },
  'POST /api/ai-role/admin/': async ({ root }) => {
    const answer = await root.post('/api/ai-role/admin/', { role_name: 'Writer', role: '{"a": 1}' });
    const tells = ['role_name: - → Writer', 'role: - → {"a": 1}', 'quota: - → 0'];
    return { answer, row: { action: 'ai_role.create', target: `ai_role:${answer.data.id}`, tells } };
  },
  'POST /api/ai-role/admin/batch': async ({ root, role }) => {
    const id = await role();
    return {
      answer: await root.post('/api/ai-role/admin/batch', { ids: [id] }),
      row: { action: 'ai_role.delete', target: `ai_role:${id}`, tells: ['role_name: Writer → -'] },
    };
  },
  'PUT /api/ai-role/admin/{id}': async ({ root, role }) => {
    const id = await role();
    return {
      answer: await root.put(`/api/ai-role/admin/${id}`, { role_name: 'Reader', quota: 5 }),
      row: {
        action: 'ai_role.update',
        target: `ai_role:${id}`,
        tells: ['role_name: Writer → Reader', 'quota: 0 → 5'],
      },
    };
  },
  'DELETE /api/ai-role/admin/{id}': async ({ root, role }) => {
    const id = await role();
    return {
      answer: await root.del(`/api/ai-role/admin/${id}`),
      row: { action: 'ai_role.delete', target: `ai_role:${id}`, tells: ['role_name: Writer → -'] },
    };
  },
  'POST /api/application/admin/': async ({ root }) => {
    const answer = await root.post('/api/application/admin/', application('maps'));
    const tells = ['name: - → maps', 'version: - → 1.0.0', 'rank: - → 0', 'type: - → conversation-tool'];
    return { answer, row: { action: 'application.create', target: `application:${answer.data.id}`, tells } };
  },
  'PUT /api/application/admin/{id}': async ({ root }) => {
    const { id } = (await root.post('/api/application/admin/', application('old'))).data;
    return {
      answer: await root.put(`/api/application/admin/${id}`, { name: 'new', app_groups: ['vip'] }),
      row: {
        action: 'application.update',
        target: `application:${id}`,
        tells: ['name: old → new', 'app_groups: - → vip'],
      },
    };
  },
  'DELETE /api/application/admin/{id}': async ({ root }) => {
    const { id } = (await root.post('/api/application/admin/', application('gone'))).data;
    return {
      answer: await root.del(`/api/application/admin/${id}`),
      row: { action: 'application.delete', target: `application:${id}`, tells: ['name: gone → -'] },
    };
  },
  'POST /api/application/admin/batch': async ({ root }) => {
    const made = [
      await root.post('/api/application/admin/', application('one')),
      await root.post('/api/application/admin/', application('two')),
    ];
    const [one, two] = made.map(({ data }) => data.id);
    return {
      answer: await root.post('/api/application/admin/batch', { ids: [two, one] }),
      row: {
        action: 'application.delete_many',
        target: 'applications',
        tells: [`#${one}: one → -`, `#${two}: two → -`],
      },
    };
  },
};

const application = (name: string) => ({
  name,
  display_name: 'Shown',
  version: '1.0.0',
  dxt_url: 'https://files.example/a.dxt',
});

/** Calls of administrators that write, or look as if they did, and need no row: each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  'POST /api/topup/callback_test': 'calls our own callback and keeps nothing',
  'POST /api/channel/fetch_models': 'asks an upstream for its models and keeps nothing',
  'POST /api/model_hub/unpriced': 'reads prices by names that are too many for an address, and keeps nothing',
  'GET /api/channel/test/{id}': 'measures one channel; the test stands in the usage log, with who made it',
  'GET /api/channel/update_balance/{id}': 'measures one channel and sets nothing that an operator sets',
  'GET /api/channel/fetch_models/{id}': 'asks an upstream for its models and keeps nothing',
  'POST /api/supplier/balance': 'asks a supplier for the balance of a key and keeps nothing',
  'POST /api/redemption/find':
    'reads the row of a code, which is too secret for an address, and shows it masked',
  'POST /api/mail/test': 'sends one letter to the address that root types and keeps nothing',
  'POST /api/option/oidc_discovery': 'reads the addresses of an identity provider and keeps nothing',
};

/** A job of this name that is running for all that its row says. */
const underWay = async ({ deps: { db } }: TestApi, name: string) => {
  await db.query(`delete from jobs where name = '${name}'`);
  await db.query(
    `insert into jobs (id, name, state, total, created_at, updated_at)
     values ('${crypto.randomUUID()}', '${name}', 'running', 1, 1, extract(epoch from now())::bigint)`,
  );
};

describe('what administrators do', () => {
  let world: World;
  let gateway: EpayServer;
  /** Of administrators; and all that read, whoever may make them. */
  let calls: { name: string; method: string; path: string }[] = [];
  let reads: { name: string; path: string }[] = [];
  beforeAll(async () => {
    const api = await openApi('postgres');
    gateway = await startEpay();
    await api.deps.options.set(epayOptions(gateway));
    const direct = await api.root();
    const scripted = channelClient(api, new ScriptedProbe(), direct);
    for (const client of [direct, scripted]) client.headers['x-forwarded-for'] = IP;
    // Channels are asked through the scripted upstream, everything else as it is served.
    const send = (method: string, path: string, body?: unknown) =>
      (path.startsWith('/api/channel') ? scripted : direct).call(method, path, body);
    const root: World['root'] = {
      userId: direct.userId,
      get: (path) => send('GET', path),
      post: (path, body = {}) => send('POST', path, body),
      put: (path, body = {}) => send('PUT', path, body),
      del: (path) => send('DELETE', path),
    };
    world = {
      api,
      root,
      channel: async (over = {}) => (await root.post('/api/channel/', channelBody(over))).data.ids[0],
      user: async () => (await api.createUser()).id,
      activity: async () =>
        (await root.post('/api/activity/', { name: 'spring', desc: 'for all', quota: 5 })).data.id,
      prompt: async () => (await root.post('/api/prompt/suggest', { instruction: 'Say it.' })).data.id,
      role: async () =>
        (await root.post('/api/ai-role/admin/', { role_name: 'Writer', role: '{"a": 1}' })).data.id,
      async order() {
        const buyer = await api.as(await api.createUser());
        const { data } = await buyer.post('/api/user/pay', { amount: 1 });
        await gateway.submit(`${gateway.base}/submit.php`, data);
        const { items } = (await buyer.get(`/api/user/topup/self?trade_no=${data.out_trade_no}`)).data;
        return { id: items[0].id, tradeNo: data.out_trade_no };
      },
      async code() {
        const answer = await root.post('/api/redemption/', { name: 'gift', quota: 5 });
        const found = await root.post('/api/redemption/find', { key: answer.data[0] });
        return { answer, id: found.data.id };
      },
    };
    const all = createApi(api.deps)
      .routes.filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => ({ method, path, name: callName(method, path) }));
    calls = all.filter(({ method, path }) => RANK[leastOf(method, path) ?? 'guest'] >= RANK.admin);
    const acting = new Set(actingReads.map((path) => callName('GET', path)));
    reads = all.filter(({ method, name }) => method === 'GET' && !acting.has(name));
  });
  afterAll(async () => {
    await gateway.close();
    await world.api.close();
  });

  const named = (names: Record<string, unknown>) =>
    new Set(
      Object.keys(names).map((name) => {
        const [method = '', path = ''] = name.split(' ');
        return callName(method, path);
      }),
    );

  it('is in the table, or among the exceptions with a reason, for every call that writes', () => {
    const known = new Set([...named(DEEDS), ...named(EXCEPTIONS)]);
    const forgotten = calls.filter(({ method, name }) => method !== 'GET' && !known.has(name));
    expect(forgotten.map(({ name }) => name)).toEqual([]);
    const served = new Set(calls.map(({ name }) => name));
    expect([...known].filter((name) => !served.has(name))).toEqual([]);
  });

  it.each(Object.keys(DEEDS))('%s leaves a row with before and after', async (name) => {
    const { db } = world.api.deps;
    await db.query(`delete from jobs`);
    const { answer, row } = (await DEEDS[name]?.(world)) ?? {};
    expect(answer).toMatchObject({ status: 200, success: true });
    const [recorded] = await db.query<{
      actor_id: number;
      action: string;
      target: string;
      ip: string;
      detail: JsonObject;
    }>('select actor_id, action, target, ip, detail from admin_actions order by id desc limit 1');
    expect(recorded).toMatchObject({
      actor_id: world.root.userId,
      ip: IP,
      action: row?.action,
      target: row?.target,
    });
    expect(isAdminAction(recorded?.action ?? '')).toBe(true);
    const { differences, facts } = readDetail(recorded?.detail ?? {});
    const told = [
      ...differences.map(({ name, before, after, isSecret }) =>
        isSecret ? `${name}: secret` : `${name}: ${before ?? '-'} → ${after ?? '-'}`,
      ),
      ...facts.map(({ name, value }) => `${name} = ${value}`),
    ];
    expect(told).toEqual(expect.arrayContaining([...(row?.tells ?? [])]));
    expect(JSON.stringify(recorded)).not.toMatch(/sk-upstream|Another1pass|argon2/);
  });

  it('is no GET that nobody thought of: reading leaves everything as it was', async () => {
    const tables = [
      ...['users', 'tokens', 'options', 'identities', 'channels', 'channel_keys', 'abilities', 'hub_models'],
      ...['second_factors', 'backup_codes', 'sessions', 'access_tokens', 'jobs', 'ledger', 'logs', 'topups'],
      'admin_actions',
    ];
    const state = async () =>
      JSON.stringify(
        await Promise.all(
          tables.map((table) =>
            world.api.deps.db.query(
              `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} t`,
            ),
          ),
        ),
      );
    const id = await world.channel();
    const before = await state();
    expect(reads.length).toBeGreaterThan(30);
    for (const { path, name } of reads) {
      const named = path.replace(':document', 'privacy-policy').replace(/:\w+/g, String(id));
      const answer = await world.root.get(named);
      expect([name, answer.status]).toEqual([name, 200]);
      expect([name, await state()]).toEqual([name, before]);
    }
  });

  it('never tells a secret, only that it is another one', async () => {
    const { root, api } = world;
    await root.put('/api/option/', { key: 'SMTPToken', value: 'correct-horse' });
    await root.put('/api/option/', { key: 'GitHubClientSecret', value: 'battery-staple' });
    await root.put('/api/option/', { key: 'SMTPToken', value: null });
    const rows = await api.deps.db.query<{ detail: JsonObject }>(
      `select detail from admin_actions where target in ('option:SMTPToken', 'option:GitHubClientSecret') order by id`,
    );
    expect(rows.map(({ detail }) => detail)).toEqual([
      { SMTPToken: 'changed' },
      { GitHubClientSecret: 'changed' },
      { SMTPToken: 'changed' },
    ]);
  });

  it('is told of price tables by what differs in them', async () => {
    const { root, api } = world;
    await root.put('/api/option/', { key: 'ModelRatio', value: '{"a": 1, "b": 2, "c": 3}' });
    await root.put('/api/option/', { key: 'ModelRatio', value: '{"a": 1, "b": 5, "d": 4}' });
    const [row] = await api.deps.db.query<{ detail: JsonObject }>(
      'select detail from admin_actions order by id desc limit 1',
    );
    expect(row?.detail).toEqual({ ModelRatio: { before: { b: 2, c: 3 }, after: { b: 5, d: 4 } } });
  });
});
