import { expect, test } from 'bun:test';
import type { RequestContext, Viewer } from './context.ts';
import { keepCodeFlow, readCodeFlow } from './sign-in-flow-cookie.ts';

const una: Viewer = {
  id: 7,
  username: 'una',
  displayName: 'Una',
  role: 1,
  group: 'default',
  sessionId: null,
};
const flowsOf = (viewer: Viewer) => {
  const context: RequestContext = {
    requestId: '',
    clientIp: '203.0.113.1',
    locale: 'en',
    https: true,
    origin: 'https://gate.example',
    viewer,
  };
  const request = new Request('https://gate.example/api/verification');
  return [keepCodeFlow(request, context, { headers: {} }), readCodeFlow(request, context)];
};

test('a script with an access token has a flow by whose it is', () => {
  expect(flowsOf({ ...una, accessToken: 'hash' })).toEqual(['token:7', 'token:7']);
});

test.each<[string, Partial<Viewer>]>([
  ['an application', { grant: { grantId: '1', appId: 1, scopes: ['profile'] } }],
  ['a client with a relay key', { relayToken: 1 }],
])('%s has a guest’s, whoever let it in', (_, by) => {
  expect(flowsOf({ ...una, ...by })).toEqual([expect.stringMatching(/^[\w-]{43}$/), null]);
});
