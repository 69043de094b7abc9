/** Who may make which call: the contract's list, and calls of this server that it does not list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Roles by rank. */
export const RANK = { guest: 0, user: 1, admin: 10, root: 100 } as const;
export type Least = keyof typeof RANK;

const rows = readFileSync(join(import.meta.dir, '../http/endpoints.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .slice(1)
  .map((line) => line.split('\t'));

/** `GET /api/user/{id}` → the least role, from the contract. */
const contract = new Map<string, Least>(
  rows.flatMap(([method = '', path = '', role = '']): [string, Least][] =>
    role in RANK ? [[callName(method, path), role as Least]] : [],
  ),
);

/** Calls of this server that the contract does not list, with their least role. */
const ours = new Map<string, Least>([
  [callName('GET', '/api/user/self/groups'), 'user'],
  [callName('POST', '/api/user/token'), 'user'],
  [callName('POST', '/api/oauth/email/bind'), 'user'],
  [callName('POST', '/api/user/setting/test'), 'user'],
  [callName('POST', '/api/user/confirm'), 'user'],
  [callName('GET', '/api/user/sessions'), 'user'],
  [callName('DELETE', '/api/user/sessions'), 'user'],
  [callName('DELETE', '/api/user/sessions/{id}'), 'user'],
  [callName('GET', '/api/user/token/status'), 'user'],
  [callName('DELETE', '/api/user/token'), 'user'],
  [callName('POST', '/api/user/login/2fa'), 'guest'],
  [callName('GET', '/api/user/2fa/status'), 'user'],
  [callName('POST', '/api/user/2fa/setup'), 'user'],
  [callName('POST', '/api/user/2fa/enable'), 'user'],
  [callName('POST', '/api/user/2fa/disable'), 'user'],
  [callName('POST', '/api/user/2fa/backup_codes'), 'user'],
  [callName('GET', '/api/user/{id}/2fa'), 'admin'],
  [callName('DELETE', '/api/user/{id}/2fa'), 'admin'],
  [callName('POST', '/api/token/{id}/key'), 'user'],
  [callName('POST', '/api/token/batch'), 'user'],
  [callName('GET', '/api/channel/types'), 'admin'],
  [callName('GET', '/api/channel/tags'), 'admin'],
  [callName('POST', '/api/channel/batch/status'), 'admin'],
  [callName('POST', '/api/channel/copy/{id}'), 'admin'],
  [callName('GET', '/api/channel/{id}/keys'), 'admin'],
  [callName('POST', '/api/channel/{id}/keys/enable'), 'admin'],
  [callName('GET', '/api/channel/test/status'), 'admin'],
  [callName('POST', '/api/channel/test/cancel'), 'admin'],
  [callName('GET', '/api/channel/update_balance/status'), 'admin'],
  [callName('POST', '/api/channel/update_balance/cancel'), 'admin'],
  [callName('GET', '/api/option/fields'), 'root'],
  [callName('GET', '/api/pricing/page'), 'guest'],
  [callName('POST', '/api/mail/test'), 'root'],
  [callName('GET', '/api/oauth/{provider}'), 'guest'],
  [callName('POST', '/api/oauth/{provider}/start'), 'guest'],
  [callName('POST', '/api/oauth/{provider}/keep'), 'user'],
  [callName('DELETE', '/api/oauth/{provider}'), 'user'],
  [callName('POST', '/api/option/oidc_discovery'), 'root'],
  [callName('GET', '/api/terms/{document}'), 'guest'],
]);

/** `:id` and `{id}` are one, and so are `/x` and `/x/`. */
export function callName(method: string, path: string): string {
  return `${method} ${path.replace(/[{:]\w+\}?/g, '{}').replace(/(.)\/$/, '$1')}`;
}

/** The least role that a call wants; undefined for one that nobody has listed. */
export const leastOf = (method: string, path: string): Least | undefined =>
  contract.get(callName(method, path)) ?? ours.get(callName(method, path));

/** The calls of the console that the contract lists, as `callName` writes them. */
export const consoleCalls: readonly string[] = [...contract.keys()].filter((name) => / \/api\//.test(name));

/** Calls that the contract opens to relay keys. */
export const relayCalls: readonly { method: string; path: string }[] = rows
  .filter(([, , role]) => role === 'token')
  .map(([method = '', path = '']) => ({ method, path }));

/** GETs that do something. That no other does is tested where deeds are recorded, that these take a proof among the attacks. */
export const actingReads = [
  '/api/user/logout',
  '/api/user/token',
  '/api/user/fuel_pack',
  '/api/verification',
  '/api/reset_password',
  '/api/captcha/',
  '/api/oauth/state',
  '/api/oauth/:provider',
  '/api/oauth/authorize',
  '/api/oauth/email/bind',
  '/api/oauth/telegram/login',
  '/api/oauth/telegram/bind',
  '/api/oauth/wechat/',
  '/api/oauth/wechat/bind',
  '/api/channel/test',
  '/api/channel/test/:id',
  '/api/channel/update_balance',
  '/api/channel/update_balance/:id',
  '/api/channel/fetch_models/:id',
  '/api/user/custom-models/conf/check',
  '/api/admin_action/export',
  '/api/log/export',
  '/api/task/:id/content',
  '/api/user/statement/export',
  '/api/user/:id/statement/export',
  '/api/user/epay/notify',
  '/api/check_status',
] as const;
