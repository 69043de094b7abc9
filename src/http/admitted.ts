/** Whom calls let in, as far as it is to be known before anybody calls: the router keeps nothing of it but the guard's hook. */
import type { RoleName } from '../core/roles.ts';

const least = new WeakMap<object, RoleName>();

/** The same hook, known by whom it lets in from. */
export function admitting<Hook extends object>(role: RoleName, hook: Hook): Hook {
  least.set(hook, role);
  return hook;
}

const roleOf = (hook: unknown): RoleName =>
  (typeof hook === 'function' ? least.get(hook) : undefined) ?? 'guest';

/** From whom on a call with these hooks lets in; where none says so, everybody. */
export function leastOf({ transform }: { transform?: unknown }): RoleName {
  const hooks: readonly unknown[] = Array.isArray(transform) ? transform : [transform];
  const roles = hooks.map((hook) =>
    roleOf(typeof hook === 'object' && hook !== null && 'fn' in hook ? hook.fn : hook),
  );
  return roles.find((role) => role !== 'guest') ?? 'guest';
}
