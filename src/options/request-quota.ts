/** Tool services for companion clients: where they are, and what a call of one of their tools costs. */
import { z } from 'zod';
import { TOOL_SERVICE_NAME, type ToolServices } from '../core/tool-services.ts';
import { checkUrl } from './checks.ts';
import { option, refusal } from './define.ts';

const help = {
  zh: '每次调用的额度，按分组倍率计费，0 表示免费',
  en: 'Quota units a call, times the ratio of the group; 0 is free.',
};

const place = (block: string) => ({ panel: 'request_quota' as const, block });

const ADDRESS_MAX = 2_000;
const KEY_MAX = 2_000;
const SERVICES_MAX = 100;

const service = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(ADDRESS_MAX)
    .superRefine((text, ctx) => {
      const reason = checkUrl(text);
      if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
    }),
  /** What a header can carry. */
  key: z
    .string()
    .max(KEY_MAX)
    .refine((text) => /^[\x21-\x7e]*$/.test(text), {
      params: {
        text: {
          zh: '只能包含字母、数字和半角符号，不含空格',
          en: 'must be letters, digits and ASCII signs, without blanks',
        },
      },
    })
    .optional(),
});

const services = z.record(z.string(), service).superRefine((map, ctx) => {
  const names = Object.keys(map);
  const bad = names.find((name) => !TOOL_SERVICE_NAME.test(name));
  if (bad !== undefined) {
    ctx.addIssue(
      refusal(
        `服务名“${bad}”无效：小写字母、数字、_ 和 -，最多 64 个字符`,
        `the name "${bad}" is invalid: lower-case letters, digits, _ and -, at most 64 characters`,
      ),
    );
  }
  if (names.length > SERVICES_MAX)
    ctx.addIssue(refusal(`最多 ${SERVICES_MAX} 个服务`, `at most ${SERVICES_MAX} services`));
});

export const requestQuota = {
  ToolServices: option.json<ToolServices>({
    default: {},
    shape: services,
    place: place('tool-services'),
    parts: (map, write) =>
      Object.fromEntries(
        Object.entries(map).map(([name, { url, key }]) => [
          name,
          key === undefined ? { url } : { url, key: write(key, name, new URL(url).origin) },
        ]),
      ),
    label: { zh: '工具服务', en: 'Tool services' },
    help: {
      zh: 'JSON，服务名 → {url, key}：MCP（Streamable HTTP）地址与密钥，客户端以 /mcp/服务名 调用。密钥不回显，key 为空字符串表示保留原值，去掉 key 表示删除；地址的协议、主机或端口更改后须重新填写密钥',
      en: 'JSON: name → {url, key}: address and key of a server that speaks MCP (streamable HTTP); clients call /mcp/NAME. Keys are never shown: an empty key keeps the stored one, no key removes it. An address with another scheme, host or port needs its key again.',
    },
  }),
  'request_quota.search': option.integer({
    default: 0,
    unit: 'quota',
    place: place('tool-prices'),
    label: { zh: '联网搜索', en: 'Web search' },
    help,
  }),
  'request_quota.map': option.integer({
    default: 0,
    unit: 'quota',
    place: place('tool-prices'),
    label: { zh: '地图', en: 'Map' },
    help,
  }),
  'request_quota.default': option.integer({
    default: 0,
    unit: 'quota',
    place: place('tool-prices'),
    label: { zh: '其他工具', en: 'Other tools' },
    help,
  }),
};
