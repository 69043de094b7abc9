/** A demo site may be looked at; only root changes anything. Of reads that do something the guard knows: `acts`. */
import { Elysia } from 'elysia';
import type { PeerSource } from './context.ts';
import { type GuardDeps, requireNoDemo } from './guard.ts';

/** Signing in changes nothing that a visitor could spoil. */
const OPEN_WRITES = [
  '/api/user/login',
  '/api/user/login/2fa',
  '/api/user/login/passkey',
  '/api/user/login/passkey/begin',
  '/api/user/login/mobile',
  '/api/captcha/check',
  '/api/setup',
];
const isRead = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

export const demo = (deps: GuardDeps) =>
  new Elysia({ name: 'demo' }).onRequest(async ({ request, server }) => {
    if (isRead(request.method)) return;
    const path = new URL(request.url).pathname.replace(/\/$/, '');
    if (!path.startsWith('/api/') || OPEN_WRITES.includes(path)) return;
    await requireNoDemo(request, server as PeerSource | null, deps);
  });
