/** What is given away: the fuel pack. */
import { type Row, row } from './row.ts';

export const activities = {
  FUEL_PACK_OFF: row(200, 403, '加油包未启用', 'The fuel pack is not enabled'),
  FUEL_PACK_CLAIMED: row(200, 409, '加油包已领取，请在下次可领取时再来', 'The fuel pack was claimed already: come back when the next one is due'),
  FUEL_PACK_UNVERIFIED: row(200, 403, '请先绑定邮箱或手机再领取加油包', 'Bind an email address or a phone to claim the fuel pack'),
  FUEL_PACK_NETWORK: row(200, 429, '当前网络领取加油包的账户过多，请稍后再试', 'Too many accounts have claimed the fuel pack from this network, please try again later'),
} satisfies Record<string, Row>;
