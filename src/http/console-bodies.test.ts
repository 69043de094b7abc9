import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { ROLE } from '../core/roles.ts';
import { ConsoleBodies } from './console-bodies.ts';
import type { RequestContext, Viewer } from './context.ts';

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
