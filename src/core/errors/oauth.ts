/** Accounts of third parties: signing in with them, binding and unbinding them. */
import { type Row, row } from './row.ts';

export const oauth = {
  IDENTITY_TAKEN: row(200, 409, '该第三方账户已被其他用户绑定', 'That third-party account is bound to another user'),
  IDENTITY_OTHER: row(200, 409, '您已绑定另一个 {provider} 账户，请先解绑', 'You have bound another {provider} account, please unbind it first'),
  IDENTITY_PAUSED: row(200, 403, '密码已更改，此前绑定的 {provider} 账户已暂停登录，请用密码登录，在个人设置的“第三方账户”中保留或解绑它', 'The password was changed, so the {provider} account that was bound before is paused. Sign in with your password, and keep or unbind it under Connections in the personal settings'),
  IDENTITY_LAST: row(200, 409, '这是您唯一的登录方式，请先设置密码、绑定邮箱或其他账户', 'This is your only way to sign in; set a password or bind an email address or another account first'),
  OAUTH_STATE: row(403, 403, '登录请求无效或已过期，请重新登录', 'This sign-in is not valid or has expired, please sign in again'),
  OAUTH_OFF: row(200, 403, '管理员未开启通过 {provider} 登录以及注册', 'The administrator has not turned on signing in with {provider}'),
  OAUTH_DENIED: row(200, 403, '您没有同意 {provider} 的授权', 'You did not allow the sign-in at {provider}'),
  OAUTH_CODE: row(200, 403, '{provider} 的授权码无效或已过期，请重新登录', 'The code of {provider} is not valid or has expired, please sign in again'),
  TELEGRAM_PROOF: row(200, 403, 'Telegram 登录信息无效或已过期，请重试', 'The Telegram sign-in is not valid or has expired, please try again'),
  OAUTH_UNREACHABLE: row(200, 502, '无法从 {provider} 获取用户信息：{reason}', '{provider} could not be asked who you are: {reason}'),
  OAUTH_ANSWER: row(200, 502, '{provider} 的回答未通过验证，请联系管理员（{reason}）', 'The answer of {provider} did not hold, please contact the administrator ({reason})'),
  LINUXDO_ACCOUNT: row(200, 403, 'Linux DO 账户未激活或已被禁言', 'The Linux DO account is not active, or is silenced'),
  LINUXDO_TRUST: row(200, 403, 'Linux DO 信任等级未达到管理员要求的 {least} 级', 'The trust level at Linux DO is below {least}, which the administrator asks for'),
  OIDC_DISCOVERY: row(200, 400, '获取 OIDC 配置失败：{reason}', 'The OIDC configuration could not be read: {reason}'),
} satisfies Record<string, Row>;
