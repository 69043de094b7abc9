import { expect, test } from 'bun:test';
import { parseCidrs } from '../../../env.ts';
import { createOutgoing, portsOf } from '../../../platform/outgoing.ts';
import { createDiscovery } from './discovery.ts';

test('what a provider says of itself is remembered, of ten providers at a time', async () => {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      asked.push(new URL(url).pathname);
      const at = 'https://id.example/';
      return Response.json({
        issuer: at,
        authorization_endpoint: at,
        token_endpoint: at,
        userinfo_endpoint: at,
        jwks_uri: at,
      });
    },
  });
  const ports = () => portsOf([String(server.port)]);
  const discover = createDiscovery(createOutgoing(parseCidrs('127.0.0.0/8'), undefined, undefined, ports));
  const ask = (n: number) => discover(`http://127.0.0.1:${server.port}/${n}`);
  for (let n = 0; n <= 10; n++) await ask(n);
  expect(asked).toHaveLength(11);
  await ask(10);
  await ask(1);
  await ask(0);
  expect(asked.slice(11)).toEqual(['/0']);
  await server.stop(true);
});
