/** The channel calls with a scripted probe: what an upstream would answer is said by the test. */
import { Elysia } from 'elysia';
import { bodies } from '../../../src/http/body.ts';
import { envelope } from '../../../src/http/envelope.ts';
import { guard } from '../../../src/http/guard.ts';
import type { RoutedChannel } from '../../../src/modules/channel/model.ts';
import type { ChannelProbe, TestWish, UpstreamAccess } from '../../../src/modules/channel/probe.ts';
import { channelRoutes } from '../../../src/modules/channel/routes.ts';
import type { TestResult } from '../../../src/modules/channel/test-result.ts';
import { Client, type TestApi } from '../../support/api.ts';

export class ScriptedProbe implements ChannelProbe {
  result: TestResult = { success: true, reason: null, timeMs: 1234 };
  models: string[] = [];
  readonly tested: { channel: RoutedChannel; model: string }[] = [];
  readonly listed: UpstreamAccess[] = [];

  /** What a test answers, where it depends on the channel. */
  answer: ((channel: RoutedChannel, wish?: TestWish) => Promise<TestResult>) | null = null;
  /** Dollars, or what asking for them throws. */
  balanceOf: (access: UpstreamAccess) => number = () => 0;

  async test(channel: RoutedChannel, model: string, wish?: TestWish): Promise<TestResult> {
    this.tested.push({ channel, model });
    return this.answer ? this.answer(channel, wish) : this.result;
  }

  async balance(access: UpstreamAccess): Promise<number> {
    return this.balanceOf(access);
  }

  async listModels(access: UpstreamAccess): Promise<string[]> {
    this.listed.push(access);
    return this.models;
  }
}

/** The same client before the channel calls. */
export function channelClient(api: TestApi, probe: ChannelProbe, client: Client): Client {
  const routes = new Elysia()
    .use(envelope(api.deps))
    .use(bodies(api.deps))
    .use(guard(api.deps))
    .use(channelRoutes(api.deps, probe));
  const over = new Client(async (request) => routes.handle(request));
  over.userId = client.userId;
  for (const [name, value] of client.cookies) over.cookies.set(name, value);
  return over;
}

/** A body that makes a channel; `over` changes it. */
export const channelBody = (over: object = {}) => ({
  name: 'made',
  type: 1,
  key: 'sk-upstream-0123456789',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  ...over,
});
