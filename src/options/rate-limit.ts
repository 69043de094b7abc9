/** How often models and calls may be used. */
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { checkGroupNames } from './checks.ts';
import { option, refusal } from './define.ts';

const COUNT_MAX = 1_000_000_000;
const relay = { panel: 'ratelimit', block: 'models' } as const;
const console = { panel: 'ratelimit', block: 'console' } as const;

const perMinute = (zh: string, en: string) =>
  option.integer({
    default: 0,
    max: COUNT_MAX,
    place: relay,
    label: { zh, en },
    help: { zh: '0 表示不限制', en: '0 is unlimited.' },
  });

export const rateLimit = {
  ModelRequestRateLimitEnabled: option.boolean({
    default: false,
    place: relay,
    label: { zh: '启用模型请求速率限制', en: 'Limit how often users call models' },
  }),
  ModelRequestRateLimitCount: option.integer({
    default: 0,
    min: -1,
    max: COUNT_MAX,
    place: relay,
    label: { zh: '最大请求次数', en: 'Most calls' },
    help: { zh: '包括失败的请求，0 或 -1 表示不限制', en: 'Failed ones too; 0 or -1 is unlimited.' },
  }),
  ModelRequestRateLimitSuccessCount: option.integer({
    default: 1_000,
    min: 1,
    max: COUNT_MAX,
    place: relay,
    label: { zh: '最大成功请求次数', en: 'Most successful calls' },
  }),
  ModelRequestRateLimitDurationMinutes: option.integer({
    default: 1,
    max: 44_640,
    place: relay,
    label: { zh: '限制周期（分钟）', en: 'Period (minutes)' },
  }),
  ModelRequestRateLimitGroup: option.json({
    default: {},
    shape: z
      .record(
        z.string(),
        z.tuple([z.number().int().min(-1).max(COUNT_MAX), z.number().int().min(1).max(COUNT_MAX)]),
      )
      .superRefine((groups, ctx) => {
        const reason = checkGroupNames(Object.keys(groups));
        if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
      }),
    place: relay,
    label: { zh: '分组速率限制', en: 'Limits of groups' },
    help: {
      zh: 'JSON，分组名 → [最大请求次数, 最大成功次数]',
      en: 'JSON: group → [most calls, most successful calls].',
    },
  }),
  TokenRequestsPerMinute: perMinute('每个令牌每分钟请求次数', 'Calls a minute of a token'),
  TokenTokensPerMinute: perMinute('每个令牌每分钟词元数', 'Model tokens a minute of a token'),
  UserRequestsPerMinute: perMinute('每个用户每分钟请求次数', 'Calls a minute of a user'),
  UserTokensPerMinute: perMinute('每个用户每分钟词元数', 'Model tokens a minute of a user'),
  UserConcurrentStreams: option.integer({
    default: 0,
    max: COUNT_MAX,
    place: relay,
    label: { zh: '每个用户同时进行的流式请求数', en: 'Streams of a user at once' },
    help: { zh: '0 表示不限制', en: '0 is unlimited.' },
  }),
  ApiRateLimitSession: option.integer({
    default: limits.sessionCalls,
    min: 1,
    max: COUNT_MAX,
    place: console,
    label: { zh: '每个登录会话的接口请求次数', en: 'Console calls a session' },
  }),
  ApiRateLimitAddress: option.integer({
    default: limits.addressCalls,
    min: 1,
    max: COUNT_MAX,
    place: console,
    label: { zh: '未登录时每个地址的接口请求次数', en: 'Console calls an address without a session' },
    help: {
      zh: '登录过的浏览器单独计数，次数相同',
      en: 'A browser that signed in before has as many of its own.',
    },
  }),
  ApiRateLimitSeconds: option.integer({
    default: limits.callsSec,
    min: 1,
    max: 86_400,
    place: console,
    label: { zh: '接口请求限制周期（秒）', en: 'Period of console calls (seconds)' },
  }),
  CriticalRateLimitCount: option.integer({
    default: 20,
    min: 1,
    max: 10_000,
    place: console,
    label: { zh: '敏感操作允许的错误次数', en: 'Wrong tries at sensitive calls' },
    help: {
      zh: '错误的密码、验证码、兑换码等，按账号计数，同一来源网络合计为其五倍；登录过的浏览器单独计数',
      en: 'Wrong passwords, codes and the like, by account, and five times as many by network; browsers that signed in before count apart.',
    },
  }),
  CriticalRateLimitMinutes: option.integer({
    default: 20,
    min: 1,
    max: 1_440,
    place: console,
    label: { zh: '敏感操作限制周期（分钟）', en: 'Period of wrong tries (minutes)' },
  }),
};
