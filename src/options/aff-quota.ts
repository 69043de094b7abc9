/** Rewards of invitations: what they are, when they are given, and how they come to the balance. */
import { z } from 'zod';
import type { InvitationTrigger } from '../core/invitations.ts';
import { type Choices, option } from './define.ts';
import { giftHelp } from './gift-help.ts';

const quota = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const QUOTA_HELP = {
  zh: '额度单位，500000 等于 1 美元',
  en: 'Quota units; 500000 equal 1 US dollar.',
};

const place = (block: string) => ({ panel: 'aff_quota' as const, block });

const TRIGGERS = {
  register: { zh: '注册时', en: 'At once' },
  verified: { zh: '验证邮箱或手机后', en: 'After e-mail or phone is verified' },
  first_topup: { zh: '首次付款充值后', en: 'After the first paid top-up' },
  first_call: { zh: '首次计费调用成功后', en: 'After the first charged call' },
} satisfies Choices<InvitationTrigger>;

export const affQuota = {
  QuotaForInviter: option.integer({
    unit: 'quota',
    default: 0,
    status: 'quota_for_inviter',
    place: place('invitation'),
    label: { zh: '邀请新用户奖励额度', en: 'Reward for inviting a user' },
    help: giftHelp(QUOTA_HELP),
  }),
  QuotaForInvitee: option.integer({
    unit: 'quota',
    default: 0,
    status: 'quota_for_invitee',
    place: place('invitation'),
    label: { zh: '新用户使用邀请码奖励额度', en: 'Reward for joining with an invitation' },
    help: giftHelp(QUOTA_HELP),
  }),
  'aff_quota.reward_trigger': option.choice({
    choices: TRIGGERS,
    default: 'register',
    place: place('invitation'),
    label: { zh: '奖励时机', en: 'When rewards are given' },
    help: {
      zh: '对之后注册的用户生效。兑换码不算付款充值。',
      en: 'For users who register from now on. A redeemed code is no paid top-up.',
    },
  }),
  'aff_quota.daily_limit': option.integer({
    default: 100,
    max: 1_000_000,
    place: place('invitation'),
    label: { zh: '每位邀请人每日奖励次数上限', en: 'Rewards of an inviter a day' },
    help: {
      zh: '任意 24 小时内，超出的邀请不再奖励邀请人，受邀人的奖励照发；0 表示不限',
      en: 'In any 24 hours. Invitations beyond it earn their inviter nothing; the invited get theirs. 0 sets no limit.',
    },
  }),
  'aff_quota.codes': option.json({
    default: {},
    shape: z.record(
      z.string().min(1).max(32),
      z.strictObject({
        inviter: quota.optional(),
        invitee: quota.optional(),
        limit: quota.optional(),
        expires: quota.optional(),
      }),
    ),
    place: place('codes'),
    label: { zh: '邀请码专属奖励', en: 'Rewards of single codes' },
    help: {
      zh: 'JSON，邀请码 → {inviter, invitee, limit, expires}：双方奖励额度、可用次数、到期时间（秒）；用完或到期后按上面的奖励',
      en: 'JSON: code → {inviter, invitee, limit, expires}: rewards of both, number of uses, end in unix seconds. After that the rewards above hold.',
    },
  }),
  'aff_quota.min_transfer': option.integer({
    unit: 'quota',
    default: 1,
    min: 1,
    place: place('transfer'),
    label: { zh: '最低划转额度', en: 'Smallest transfer of rewards' },
    help: {
      zh: '额度单位；一次划转全部奖励不受此限',
      en: 'Quota units. All that there is may always be moved at once.',
    },
  }),
};
