/** Rewards of invitations. No page draws these until they are given. */
import { z } from 'zod';
import { option } from './define.ts';

const quota = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const affQuota = {
  'aff_quota.codes': option.json({
    default: {},
    shape: z.record(
      z.string().min(1).max(32),
      z.object({
        inviter: quota.optional(),
        invitee: quota.optional(),
        limit: quota.optional(),
        expires: quota.optional(),
      }),
    ),
    label: { zh: '邀请码专属奖励', en: 'Rewards of single codes' },
    help: {
      zh: 'JSON，邀请码 → {inviter, invitee, limit, expires}：双方奖励额度、可用次数、到期时间（秒）',
      en: 'JSON: code → {inviter, invitee, limit, expires}: rewards of both, number of uses, end in unix seconds.',
    },
  }),
  'aff_quota.min_transfer': option.integer({
    default: 500_000,
    unit: 'quota',
    min: 1,
    label: { zh: '最低划转额度', en: 'Smallest transfer of rewards' },
  }),
  'aff_quota.reward_trigger': option.choice({
    choices: ['register', 'verified', 'first_topup'],
    default: 'register',
    label: { zh: '奖励时机', en: 'When rewards are given' },
    help: {
      zh: 'register：注册时；verified：验证邮箱或手机后；first_topup：首次充值后',
      en: 'register: at once; verified: after e-mail or phone is verified; first_topup: after the first top-up.',
    },
  }),
};
