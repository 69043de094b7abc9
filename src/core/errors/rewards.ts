/** Rewards of invitations and activities, and their way to the balance. */
import { type Row, row } from './row.ts';

export const rewards = {
  TRANSFER_SHORT: row(200, 400, '转账额度不足！', 'There is not that much reward quota to transfer'),
  TRANSFER_LEAST: row(200, 400, '每次最低划转 {least}，或一次划转全部', 'Transfer at least {least} quota units at a time, or all there is'),
} satisfies Record<string, Row>;
