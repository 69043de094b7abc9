/** Rewards of invitations and activities, and their way to the balance. */
import { type Row, row } from './row.ts';

export const rewards = {
  TRANSFER_SHORT: row(200, 400, '转账额度不足！', 'There is not that much reward quota to transfer'),
  TRANSFER_LEAST: row(200, 400, '最低划转额度为 {least}', 'At least {least} quota units can be transferred'),
} satisfies Record<string, Row>;
