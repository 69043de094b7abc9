import { describe, expect, it } from 'bun:test';
import { readExpiry } from '@/lib/expiry.ts';
import { translatorFor } from '@/lib/translator-for.ts';
import { batchNames, bodyOf, emptyToken, type TokenValues, tokenErrors, valuesOf } from './form.ts';
import type { Token } from './token.ts';

const t = translatorFor('zh');

const NOW = 1_777_636_800;
const zone = 'Asia/Shanghai';
const errors = (over: Partial<TokenValues>, initial = emptyToken) =>
  tokenErrors({ ...emptyToken, name: 'ci', ...over }, { timeZone: zone, now: NOW, initial }, t);

describe('the rules of the token form', () => {
  it('speak the words of the specification', () => {
    expect(errors({ name: '  ' }).name).toBe('令牌名称不能为空');
    expect(errors({ expiry: 'tomorrow' }).expiry).toStartWith('过期时间格式错误');
    expect(errors({ quota: '1.5' }).quota).toBe('令牌额度必须是非负整数');
    expect(errors({ count: '0' }).count).toBeDefined();
    expect(errors({ count: '101' }).count).toBeDefined();
  });

  it('let a sound form pass', () => {
    expect(Object.values(errors({})).filter(Boolean)).toEqual([]);
    expect(Object.values(errors({ unlimited: true, quota: '' })).filter(Boolean)).toEqual([]);
    expect(errors({ expiry: '2026-05-02 00:00:00' }).expiry).toBeUndefined();
  });

  it('leave room for the endings of a batch', () => {
    expect(errors({ name: 'x'.repeat(50) }).name).toBeUndefined();
    expect(errors({ name: 'x'.repeat(50), count: '10' }).name).toBeDefined();
    expect(errors({ name: 'x'.repeat(43), count: '10' }).name).toBeUndefined();
  });

  it('let an expiry that has passed stand, but not be chosen', () => {
    const past = '2020-01-01 00:00:00';
    expect(errors({ expiry: past }).expiry).toBeDefined();
    expect(errors({ expiry: past }, { ...emptyToken, expiry: past }).expiry).toBeUndefined();
  });
});

describe('what is sent', () => {
  const token: Token = {
    id: 7,
    user_id: 1,
    accessed_time: NOW,
    key: 'Ab3d…9f2',
    name: 'ci',
    status: 1,
    remain_quota: 400,
    unlimited_quota: false,
    used_quota: 100,
    expired_time: NOW,
    model_limits_enabled: true,
    model_limits: 'gpt-4o,o3',
    allow_ips: '203.0.113.7',
    group: 'vip',
    own_keys: true,
    created_time: NOW,
  };

  it('is the token again when nothing was changed, without the quota that calls may have used meanwhile', () => {
    const values = valuesOf(token, zone);
    const { expired_time, model_limits_enabled, model_limits, allow_ips, group, name, unlimited_quota } =
      token;
    expect(bodyOf(values, zone, values)).toEqual({
      expired_time,
      model_limits_enabled,
      model_limits,
      allow_ips,
      group,
      name,
      unlimited_quota,
    });
  });

  it('says which keys it may use only where that was changed', () => {
    expect(bodyOf(emptyToken, zone)).not.toHaveProperty('own_keys');
    expect(bodyOf({ ...emptyToken, ownKeys: false }, zone)).toMatchObject({ own_keys: false });
    const before = valuesOf({ ...token, own_keys: false }, zone);
    expect(bodyOf(before, zone, before)).not.toHaveProperty('own_keys');
    expect(bodyOf({ ...before, ownKeys: true }, zone, before)).toMatchObject({ own_keys: true });
  });

  it('holds a quota that was changed', () => {
    const before = valuesOf(token, zone);
    expect(bodyOf({ ...before, quota: '900' }, zone, before).remain_quota).toBe(900);
  });

  it('reads the time in the zone of the viewer', () => {
    expect(readExpiry('2026-05-01 20:00:00', zone)).toBe(NOW);
    expect(readExpiry(' -1 ', zone)).toBe(-1);
  });
});

describe('the names of a batch', () => {
  it('are the name, and the name with endings of six characters, each once', () => {
    const names = batchNames('ci', 100);
    expect(new Set(names).size).toBe(100);
    expect(names[0]).toBe('ci');
    for (const name of names.slice(1)) expect(name).toMatch(/^ci-[a-z0-9]{6}$/);
  });

  it('draw another ending when one comes twice', () => {
    const endings = ['aaaaaa', 'aaaaaa', 'bbbbbb'];
    expect(batchNames('ci', 3, () => endings.shift() ?? '')).toEqual(['ci', 'ci-aaaaaa', 'ci-bbbbbb']);
  });
});
