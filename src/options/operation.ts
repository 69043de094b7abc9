/** The operation panel: quota, money, retries, deadlines, health, logs. */
import { checkEmail, checkUrl } from './checks.ts';
import { option } from './define.ts';
import { addressIn } from './destination.ts';
import { giftHelp } from './gift-help.ts';

const QUOTA_HELP = {
  zh: '额度单位，500000 等于 1 美元',
  en: 'Quota units; 500000 equal 1 US dollar.',
};
const SECONDS_MAX = 86_400;

const general = (block: string) => ({ panel: 'operation' as const, block });

export const operation = {
  // General.
  'general_setting.docs_link': option.text({
    max: 2_000,
    status: 'docs_link',
    check: checkUrl,
    place: general('general'),
    label: { zh: '文档地址', en: 'Documentation address' },
    help: { zh: '显示在页脚，留空则隐藏', en: 'Shown in the footer; empty hides it.' },
  }),
  DisplayInCurrencyEnabled: option.boolean({
    default: true,
    status: 'display_in_currency',
    place: general('general'),
    label: { zh: '以货币形式显示额度', en: 'Show quota as money' },
    help: { zh: '关闭后显示额度单位', en: 'Off shows quota units.' },
  }),
  DisplayTokenStatEnabled: option.boolean({
    default: true,
    place: general('general'),
    label: { zh: '余额查询接口返回令牌额度', en: 'Balance calls answer for the token' },
    help: {
      zh: '关闭后 /v1/dashboard/billing 返回用户额度',
      en: 'Off makes /v1/dashboard/billing answer for the user.',
    },
  }),
  DefaultCollapseSidebar: option.boolean({
    default: false,
    status: 'default_collapse_sidebar',
    place: general('general'),
    label: { zh: '默认折叠侧边栏', en: 'Start with the side menu collapsed' },
  }),

  // Quota.
  QuotaForNewUser: option.integer({
    unit: 'quota',
    default: 0,
    status: 'quota_for_new_user',
    place: general('quota'),
    label: { zh: '新用户初始额度', en: 'Quota of a new user' },
    help: giftHelp(QUOTA_HELP),
  }),
  'gift.daily_quota': option.integer({
    unit: 'quota',
    default: 0,
    place: general('quota'),
    label: { zh: '每日赠送总额度上限', en: 'Quota given away a day' },
    help: {
      zh: '新用户、邀请双方和加油包合计，按 UTC 计日；达到后照常注册但不再赠送，并向超级管理员告警。0 表示不限',
      en: 'To new users, by invitations and as fuel packs, in a day of UTC. Beyond it people register without a gift, and root is told. 0 sets no limit.',
    },
  }),
  QuotaRemindThreshold: option.integer({
    unit: 'quota',
    default: 100_000,
    place: general('quota'),
    label: { zh: '额度提醒阈值', en: 'Quota warning threshold' },
    help: {
      zh: '低于此额度时提醒用户；用户可自行设置',
      en: 'Users are warned below it; each may set his own.',
    },
  }),
  PreConsumedQuota: option.integer({
    unit: 'quota',
    default: 500,
    place: general('quota'),
    label: { zh: '请求预扣额度', en: 'Quota reserved for a request' },
    help: {
      zh: '请求没有给出输出上限时至少预留的额度',
      en: 'The least quota reserved for a request that gives no output limit.',
    },
  }),
  ByokFee: option.integer({
    unit: 'quota',
    default: 0,
    place: general('quota'),
    label: { zh: '自带密钥调用的固定费用', en: 'Fee of a call with the user’s own key' },
    help: {
      zh: '用户以自己的密钥调用“供应商/模型”时每次收取的额度，与模型和分组无关；0 表示不收费',
      en: 'Quota for each call of supplier/model with a key that its user brought, whatever the model and the group. 0 takes nothing.',
    },
  }),
  QuotaPerUnit: option.integer({
    default: 500_000,
    min: 1,
    status: 'quota_per_unit',
    place: general('quota'),
    label: { zh: '单位额度', en: 'Quota of one US dollar' },
    help: {
      zh: '仅影响显示，请勿随意修改',
      en: 'Only for display; better not changed.',
    },
  }),
  Price: option.decimal({
    default: 7.3,
    positive: true,
    status: 'price',
    place: general('quota'),
    label: { zh: '充值价格（元/美金）', en: 'Price of one US dollar in CNY' },
    help: { zh: '也用于中文界面的金额显示', en: 'Also used to show amounts in the Chinese console.' },
  }),

  // Relay: retries and deadlines. A channel may set its own deadlines.
  RetryTimes: option.integer({
    default: 2,
    max: 10,
    place: general('relay'),
    label: { zh: '失败重试次数', en: 'Retries after a failed attempt' },
    help: {
      zh: '换一个渠道再试的次数，0 表示不重试',
      en: 'How many other channels to try. 0 turns retries off.',
    },
  }),
  RelayConnectTimeout: option.integer({
    default: 5,
    min: 1,
    max: 120,
    place: general('relay'),
    label: { zh: '连接超时（秒）', en: 'Connect deadline (seconds)' },
    help: { zh: '与上游建立连接的最长时间', en: 'The longest time to connect to an upstream.' },
  }),
  RelayFirstContentTimeout: option.integer({
    default: 120,
    min: 1,
    max: SECONDS_MAX,
    place: general('relay'),
    label: { zh: '首字超时（秒）', en: 'First content deadline (seconds)' },
    help: {
      zh: '流式请求等待第一个内容的最长时间；隐藏思考的模型至少 300 秒',
      en: 'The longest time until the first content of a stream; at least 300 s for models that hide what they think.',
    },
  }),
  RelayIdleTimeout: option.integer({
    default: 120,
    min: 1,
    max: SECONDS_MAX,
    place: general('relay'),
    label: { zh: '空闲超时（秒）', en: 'Idle deadline (seconds)' },
    help: { zh: '流式回答中两段数据之间的最长间隔', en: 'The longest pause between two parts of a stream.' },
  }),
  RelayTotalTimeout: option.integer({
    default: 1_800,
    min: 1,
    max: SECONDS_MAX,
    place: general('relay'),
    label: { zh: '总超时（秒）', en: 'Total deadline (seconds)' },
    help: { zh: '一次请求的最长时间', en: 'The longest time of a whole call.' },
  }),
  DrainSeconds: option.integer({
    default: 30,
    max: 600,
    place: general('relay'),
    label: { zh: '客户端断开后继续读取（秒）', en: 'Read on after the caller left (seconds)' },
    help: {
      zh: '用于取得真实用量；含有无法计数的内容（隐藏思考、按地址引用的文档、上游工具）时读取到结尾。0 表示立即取消上游请求，这些内容则按预扣计费',
      en: 'To learn the true usage; to the end where parts cannot be counted here (hidden thoughts, documents by address, tools of the upstream). 0 cancels the upstream call at once, and such parts are charged as they were held.',
    },
  }),
  StopSeconds: option.integer({
    default: 30,
    max: 600,
    place: general('relay'),
    label: { zh: '停机等待（秒）', en: 'Time to finish at a stop (seconds)' },
    help: {
      zh: '停止服务时留给未结束的流的时间',
      en: 'How long open streams may go on when the server stops.',
    },
  }),

  // Health of channels.
  AutomaticDisableChannelEnabled: option.boolean({
    default: false,
    place: general('health'),
    label: { zh: '失败时自动禁用渠道', en: 'Disable failing channels by themselves' },
    help: {
      zh: '只影响同时开启自动禁用的渠道',
      en: 'Only channels that allow it themselves are disabled.',
    },
  }),
  AutomaticEnableChannelEnabled: option.boolean({
    default: false,
    place: general('health'),
    label: { zh: '成功时自动启用渠道', en: 'Enable channels that are well again' },
  }),
  ChannelDisableThreshold: option.decimal({
    default: 5,
    max: SECONDS_MAX,
    place: general('health'),
    label: { zh: '最长响应时间（秒）', en: 'Slowest healthy answer (seconds)' },
    help: {
      zh: '测试时超过此时间的渠道会被自动禁用',
      en: 'A channel whose tests take longer is disabled.',
    },
  }),
  AutomaticDisableKeywords: option.lines({
    default: [
      'You exceeded your current quota',
      'insufficient_quota',
      'Your credit balance is too low',
      'This organization has been disabled',
      'Incorrect API key provided',
      'The security token included in the request is invalid',
      'account_deactivated',
      'Permission denied',
      'Operation not allowed',
      'Your account is not authorized',
      // OpenAI, its pictures; an account that was closed for its debts.
      'Billing hard limit has been reached',
      'Your account is not active',
      // DeepSeek; SiliconFlow; Moonshot; Alibaba; Gemini.
      'Insufficient Balance',
      'account balance is insufficient',
      'suspended due to insufficient balance',
      'make sure your account is in good standing',
      'API key not valid',
      // Zhipu and other Chinese vendors.
      '余额不足',
      '已欠费',
    ],
    maxLines: 1_000,
    place: general('health'),
    label: { zh: '自动禁用关键词', en: 'Words that disable a channel' },
    help: {
      zh: '每行一个，上游错误包含其中之一时禁用渠道，不区分大小写',
      en: 'One a line; an upstream error that contains one disables the channel, whatever its case.',
    },
  }),

  'monitor_setting.enabled': option.boolean({
    default: false,
    place: general('health'),
    label: { zh: '定时测试渠道', en: 'Test channels on a schedule' },
    help: {
      zh: '最近有成功请求的渠道不再测试',
      en: 'Channels that answered a call of late are left out.',
    },
  }),
  'monitor_setting.minutes': option.integer({
    default: 30,
    min: 1,
    max: 10_080,
    place: general('health'),
    label: { zh: '定时测试间隔（分钟）', en: 'Time between the tests of a channel (minutes)' },
  }),
  AlertEmail: option.text({
    max: 254,
    check: checkEmail,
    place: general('health'),
    label: { zh: '告警邮箱', en: 'Mailbox for alerts' },
    help: {
      zh: '渠道被自动禁用或恢复时发送邮件，留空则不发送；需先设置发信服务器',
      en: 'Written to when a channel goes out of service or comes back; empty for none. Needs the mail settings.',
    },
  }),
  AlertWebhookUrl: option.text({
    max: 2_000,
    check: checkUrl,
    place: general('health'),
    label: { zh: '告警 Webhook 地址', en: 'Address for alerts' },
    help: {
      zh: '渠道被自动禁用或恢复时通知此地址，留空则不通知',
      en: 'Told when a channel goes out of service or comes back; empty tells nobody.',
    },
  }),
  AlertWebhookSecret: option.text({
    max: 1_000,
    secret: addressIn('AlertWebhookUrl'),
    place: general('health'),
    label: { zh: '告警 Webhook 密钥', en: 'Secret for alerts' },
    help: {
      zh: '作为 Bearer 发送，并用于签名 X-Webhook-Signature',
      en: 'Sent as bearer, and signs each alert in X-Webhook-Signature.',
    },
  }),

  // Logs and their export.
  LogConsumeEnabled: option.boolean({
    default: true,
    place: general('logs'),
    label: { zh: '记录消费日志', en: 'Keep a log of charged calls' },
    help: {
      zh: '关闭后不再逐条记录调用，扣费、账本和按小时的统计照常',
      en: 'Off lists no single calls any more; charges, ledger and hourly figures go on.',
    },
  }),
  'log.error_rows_per_minute': option.integer({
    default: 60,
    max: 6_000,
    place: general('logs'),
    label: { zh: '每分钟逐条记录的失败调用（每用户）', en: 'Failed calls listed a minute (of a user)' },
    help: {
      zh: '被拒绝或失败的调用超出后只计数、不再逐条记录，成功率不受影响。0 表示只计数',
      en: 'Refused and failed calls beyond it are counted and not listed; success rates know all of them. 0 lists none.',
    },
  }),
  'log.retention_days': option.integer({
    default: 365,
    max: 36_500,
    place: general('logs'),
    label: { zh: '日志保留天数', en: 'Days that logs are kept' },
    help: {
      zh: '更早的日志每天删除，按小时的统计和账本保留。0 表示永久保留',
      en: 'Older rows are deleted once a day; hourly figures and ledger stay. 0 keeps them for ever.',
    },
  }),
  DataExportEnabled: option.boolean({
    default: true,
    status: 'enable_data_export',
    place: general('logs'),
    label: { zh: '启用数据看板', en: 'Data dashboard' },
  }),
  DataExportInterval: option.integer({
    default: 5,
    min: 1,
    max: 1_440,
    place: general('logs'),
    label: { zh: '数据看板更新间隔（分钟）', en: 'Refresh of the dashboard (minutes)' },
  }),
  DataExportDefaultTime: option.choice({
    choices: {
      hour: { zh: '按小时', en: 'By hour' },
      day: { zh: '按天', en: 'By day' },
      week: { zh: '按周', en: 'By week' },
    },
    default: 'hour',
    status: 'data_export_default_time',
    place: general('logs'),
    label: { zh: '数据看板默认粒度', en: 'Default step of the dashboard' },
  }),
};
