import { expect, it, spyOn } from 'bun:test';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { ROLE } from '../core/roles.ts';
import { createBody as keyBody } from '../modules/custom-model/contract.ts';
import { createBody as tokenBody } from '../modules/token/contract.ts';
import { readBody } from './body.ts';
import { ConsoleBodies } from './console-bodies.ts';
import type { RequestContext, Viewer } from './context.ts';
import { type GuardDeps, guard } from './guard.ts';

const OWNER: Viewer = {
  id: 7,
  username: 'una',
  displayName: 'una',
  role: ROLE.user,
  group: 'default',
  sessionId: 'a',
};
const contextOf = (viewer: Viewer): RequestContext => ({
  requestId: 'r',
  clientIp: '203.0.113.9',
  locale: 'en',
  https: true,
  origin: 'https://site.example',
  viewer,
});

it('keeps nobody’s bodies out because his relay key fills its share', () => {
  const bodies = new ConsoleBodies();
  const hold = (viewer: Viewer) => bodies.hold(new Request('http://site.example/'), contextOf(viewer));
  const byKey = { ...OWNER, sessionId: null, relayToken: 3 };
  const many = 1_500_000;
  const fill = () => {
    for (;;) hold(byKey).grow(many);
  };
  expect(fill).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  expect(bodies.bytes).toBeGreaterThan(limits.userFormsBytes / 3);
  hold(OWNER).grow(many);
  expect(() => hold(byKey).grow(many)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
});

it('takes no call below an administrator’s whose form has no end', () => {
  const deps = {} as GuardDeps;
  const call = (admission: object, field: z.ZodType) =>
    new Elysia().use(guard(deps)).post('/api/x', () => '', { ...admission, body: z.object({ field }) })
      .routes;
  const learn = (admission: object, field: z.ZodType) => () =>
    new ConsoleBodies().learn(call(admission, field));
  const endless = [z.string(), z.array(z.number()), z.record(z.string(), z.number()), z.unknown()];
  for (const field of endless) {
    for (const admission of [
      { guest: true },
      { auth: 'user' },
      { auth: { least: 'user' } },
      { auth: 'client' },
      {},
    ])
      expect(learn(admission, field)).toThrow('POST /api/x');
    for (const admission of [{ auth: 'admin' }, { auth: { least: 'root' } }])
      expect(learn(admission, field)).not.toThrow();
  }
  expect(learn({ auth: 'user' }, z.array(z.string().max(9)).max(9))).not.toThrow();
});

it.each([
  ['models of a key of his own', keyBody, 'models'],
  ['models of a token', tokenBody, 'model_limits'],
  ['a field that nobody knows', z.object({ a: z.number() }), 'x'],
])('has no more parsed than fits: %s', async (_what, body, field) => {
  const bodies = new ConsoleBodies();
  bodies.learn([{ method: 'POST', path: '/api/x', hooks: { body } }]);
  const sent = new Request('http://localhost/api/x', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"${field}":[${'0,'.repeat(20_000)}0]}`,
  });
  const parse = spyOn(JSON, 'parse');
  const read = readBody(sent, '/api/x', contextOf(OWNER), bodies);
  await expect(read).rejects.toMatchObject({ code: 'BAD_PARAM' });
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});
