/** `/openapi.json`: every call with its schema, made from the schemas that check the calls. */
import { toOpenAPISchema } from '@elysiajs/openapi';
import { type AnyElysia, Elysia } from 'elysia';
import { z } from 'zod';
import { version } from '../../package.json';
import { madeOnce } from '../core/made-once.ts';
import { pause } from '../platform/pause.ts';
import { anyHost } from './any-host.ts';
import { compress, gzip } from './compress.ts';
import { accepts } from './encoding.ts';
import type { GiveFile } from './shared-files.ts';

const info = {
  title: 'Tollgate',
  version,
  description:
    'Calls under /api answer {success, message, data}, with a stable code on failures. Of these, what companion clients read (roles, applications, suppliers) and likes of tasks take a relay key as bearer, too. Calls under /v1 and /v1beta speak the wires of the model providers and take a relay key where each wire has it.',
};

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/**
 * The calls of one app, those of one address at a time: all at once would keep the event loop from everybody for as long
 * as some answers take. Its bodies are read by parsers of ours, which the generator does not know to be JSON.
 */
async function* callsOf(app: AnyElysia) {
  const routes = app.routes.map((route) => ({
    ...route,
    hooks: { ...route.hooks, parse: [{ fn: 'json' }] },
  }));
  for (const some of Map.groupBy(routes, ({ path }) => path).values()) {
    const own: AnyElysia = Object.create(app, { getGlobalRoutes: { value: () => some } });
    yield toOpenAPISchema(own, undefined, undefined, { zod: jsonSchema });
    await pause();
  }
}

async function describe(apps: readonly AnyElysia[]) {
  const paths = {};
  const schemas = {};
  for (const app of apps) {
    for await (const part of callsOf(app)) {
      Object.assign(paths, part.paths);
      Object.assign(schemas, part.components.schemas);
    }
  }
  return { openapi: '3.1.2', info, paths, components: { schemas } };
}

async function make(apps: readonly AnyElysia[]): Promise<{ plain: Blob; packed: Blob }> {
  const bytes = new TextEncoder().encode(JSON.stringify(await describe(apps)));
  return { plain: new Blob([bytes]), packed: new Blob([await compress(bytes, gzip)]) };
}

/** Describes the calls of `apps`; made and packed when it is first asked for, and the same for all who ask. */
export const description = (apps: readonly AnyElysia[], give: GiveFile = plainly) => {
  const made = madeOnce(() => make(apps));
  return new Elysia({ name: 'description', handler: anyHost }).get(
    '/openapi.json',
    async ({ request, server }) => {
      const { plain, packed } = await made();
      const headers = { 'content-type': 'application/json' };
      const isPacked = request.method === 'GET' && accepts(request, 'gzip');
      const file = isPacked
        ? { body: packed, headers: { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' } }
        : { body: plain, headers };
      return give(request, server, file);
    },
  );
};

/** Only for who asks in process. */
const plainly: GiveFile = async (_request, _server, { body, headers }) => new Response(body, { headers });
