/**
 * Bodies of `/api`: JSON of a bounded size that arrives in time. Forms are not read, so that no page of another site
 * can have a browser send one.
 */
import { Elysia } from 'elysia';
import { badParam, fail } from '../core/errors.ts';
import { nestsDeeper } from '../core/json-depth.ts';
import { hasMoreKeys } from '../core/json-keys.ts';
import { limits } from '../core/limits.ts';
import { contextOf, type PeerSource } from './context.ts';
import { type GuardDeps, resolveViewer } from './guard.ts';

/** The body's bytes. Throws BODY_TOO_LARGE, BODY_TIMEOUT. */
export async function readBounded(
  request: Request,
  bytesMax: number,
  deadlineMs: number,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw fail('BODY_TOO_LARGE');
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => undefined);
  }, deadlineMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) throw fail('BODY_TIMEOUT');
      if (done) return Buffer.concat(parts);
      bytes += value.byteLength;
      if (bytes > bytesMax) {
        void reader.cancel().catch(() => undefined);
        throw fail('BODY_TOO_LARGE');
      }
      parts.push(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

const badBody = () => badParam('body');

/** The JSON of a body. Throws BAD_PARAM. */
function readJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const isHeavy = nestsDeeper(text, limits.jsonDepthMax) || hasMoreKeys(text, limits.jsonKeysMax);
    if (!isHeavy) return JSON.parse(text);
  } catch {
    // Neither UTF-8 nor JSON: refused below like what is nested too deeply or has too many keys.
  }
  throw badBody();
}

const isCompressed = (request: Request): boolean =>
  (request.headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';

/** Reads the body of every call that takes one. */
export const bodies = (deps: GuardDeps) =>
  new Elysia({ name: 'bodies' })
    .onRequest(({ request }) => {
      if (new URL(request.url).pathname.startsWith('/api/') && isCompressed(request)) {
        throw fail('BODY_ENCODING');
      }
    })
    .onParse({ as: 'global' }, async ({ request, contentType, server }) => {
      const context = contextOf(request, deps.env, server as PeerSource | null);
      const viewer = await resolveViewer(request, context, deps);
      const bytesMax = viewer ? limits.apiBodyBytes : limits.guestBodyBytes;
      const bytes = await readBounded(request, bytesMax, limits.bodyReadMs);
      // Some calls have no fields; their callers send nothing at all.
      if (bytes.byteLength === 0) return {};
      if (contentType !== 'application/json') throw badBody();
      return readJson(bytes);
    });
