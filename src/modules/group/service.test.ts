import { describe, expect, it } from 'bun:test';
import { groupRatioFor, usableGroups } from './service.ts';

describe('the ratio of a group', () => {
  const tables: object = {
    GroupRatio: { default: 1, vip: 0.5, constructor: 2, name: 3 },
    GroupGroupRatio: { vip: { default: 0.8 } },
    UserUsableGroups: {},
  };
  const reads = { get: (key: string) => Reflect.get(tables, key) };

  it('is its own, or the one for the group of the user', () => {
    expect(groupRatioFor(reads, 'default', 'vip')).toBe(0.5);
    expect(groupRatioFor(reads, 'vip', 'default')).toBe(0.8);
    expect(groupRatioFor(reads, 'default', 'gone')).toBeNull();
  });

  it('is never what every object has', () => {
    expect(groupRatioFor(reads, 'constructor', 'name')).toBe(3);
    expect(groupRatioFor(reads, 'default', 'toString')).toBeNull();
    expect(usableGroups(reads, 'constructor').get('constructor')).toEqual({ ratio: 2, desc: 'constructor' });
  });
});
