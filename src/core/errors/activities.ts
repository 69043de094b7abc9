/** What is given away: activities and the fuel pack. */
import { type Row, row } from './row.ts';

export const activities = {
  ACTIVITY_NAME: row(200, 400, '请输入活动名称，最多100个字符', 'The name needs 1 to 100 characters'),
  ACTIVITY_DESC: row(200, 400, '请输入活动描述，最多2000个字符', 'The description needs 1 to 2,000 characters'),
  ACTIVITY_QUOTA: row(200, 400, '只能输入整数', 'Only whole numbers can be entered'),
  ACTIVITY_DATE: row(200, 400, '活动时间格式不正确', 'This is no such time'),
  ACTIVITY_DATES: row(200, 400, '结束时间不能早于开始时间', 'The end must not be before the start'),
  ACTIVITY_CLOSED: row(200, 409, '活动未开始或已结束，不能发放奖励', 'The activity has not begun or is over: it rewards nobody'),
  ACTIVITY_NO_QUOTA: row(200, 409, '该活动没有奖励额度', 'This activity has no quota to reward with'),
  ACTIVITY_DISPATCHING: row(200, 409, '该活动正在发放奖励，请稍候', 'Rewards of this activity are being sent already'),
  ACTIVITY_NONE_REWARDED: row(200, 409, '没有用户获得奖励', 'Nobody was rewarded'),
  FUEL_PACK_OFF: row(200, 403, '加油包未启用', 'The fuel pack is not enabled'),
  FUEL_PACK_CLAIMED: row(200, 409, '加油包已领取，请在下次可领取时再来', 'The fuel pack was claimed already: come back when the next one is due'),
  FUEL_PACK_UNVERIFIED: row(200, 403, '请先绑定邮箱或手机再领取加油包', 'Bind an email address or a phone to claim the fuel pack'),
  FUEL_PACK_SPENT: row(200, 429, '今日加油包已发完，请明天再来', 'All that is given away today has been claimed: come back tomorrow'),
  FUEL_PACK_NETWORK: row(200, 429, '当前网络领取加油包的账户过多，请稍后再试', 'Too many accounts have claimed the fuel pack from this network, please try again later'),
} satisfies Record<string, Row>;
