import { describe, expect, it } from 'bun:test';
import { canActOn, hasRole, ROLE } from './roles.ts';

describe('who may act on whom', () => {
  const user = (id: number, role: number) => ({ id, role });

  it('is decided by level: only strictly below, root on everyone below root and on himself', () => {
    const allowed = [1, 10, 100].flatMap((actor) =>
      [1, 10, 100]
        .filter((target) => canActOn(user(1, actor), user(2, target)))
        .map((target) => [actor, target]),
    );
    expect(allowed).toEqual([
      [10, 1],
      [100, 1],
      [100, 10],
    ]);
    expect(canActOn(user(1, ROLE.root), user(1, ROLE.root))).toBe(true);
    expect(canActOn(user(1, ROLE.admin), user(1, ROLE.admin))).toBe(false);
  });

  it('counts a role for all below it', () => {
    expect(hasRole(ROLE.root, 'admin')).toBe(true);
    expect(hasRole(ROLE.admin, 'root')).toBe(false);
    expect(hasRole(ROLE.guest, 'user')).toBe(false);
  });
});
