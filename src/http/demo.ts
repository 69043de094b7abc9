/** A demo site may be looked at; only root changes anything. */
import { Elysia } from 'elysia';
import { fail } from '../core/errors.ts';
import { hasRole } from '../core/roles.ts';
import type { Options } from '../options/store.ts';
import { contextOf, type PeerSource } from './context.ts';
import { type GuardDeps, resolveViewer } from './guard.ts';

/** Signing in changes nothing that a visitor could spoil. */
const OPEN_WRITES = [
  '/api/user/login',
  '/api/user/login/2fa',
  '/api/user/login/mobile',
  '/api/captcha/check',
  '/api/setup',
];
/** Calls that the spec makes GET although they change something. */
const CHANGING_READS = [
  '/api/user/token',
  '/api/user/fuel_pack',
  '/api/oauth/email/bind',
  '/api/oauth/github',
  '/api/oauth/google',
  '/api/oauth/oidc',
  '/api/oauth/linuxdo',
  '/api/oauth/telegram/login',
  '/api/oauth/telegram/bind',
  '/api/oauth/wechat',
  '/api/oauth/wechat/bind',
];

const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

export const demo = (deps: GuardDeps & { options: Options }) =>
  new Elysia({ name: 'demo' }).onRequest(async ({ request, server }) => {
    if (!deps.options.get('DemoSiteEnabled')) return;
    const path = new URL(request.url).pathname.replace(/\/$/, '');
    if (!path.startsWith('/api/')) return;
    if (isRead(request.method) ? !CHANGING_READS.includes(path) : OPEN_WRITES.includes(path)) return;
    const viewer = await resolveViewer(
      request,
      contextOf(request, deps.env, server as PeerSource | null),
      deps,
    );
    if (!viewer || !hasRole(viewer.role, 'root')) throw fail('DEMO_READONLY');
  });
