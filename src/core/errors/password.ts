/** Passwords, and their resets. */
import { type Row, row } from './row.ts';

export const password = {
  PASSWORD_MISMATCH: row(200, 400, '两次输入的密码不一致', 'The two passwords do not match'),
  RESET_LINK: row(200, 400, '重置链接无效或已过期', 'The reset link is invalid or has expired'),
  RESET_NO_ADDRESS: row(200, 503, '管理员未设置服务器地址，无法发送重置链接', 'The administrator has not set the server address, so no reset link can be sent'),
  PASSWORD_RULE: row(200, 400, '密码必须由英文、数字组成，且长度在8-20之间！', 'The password must have letters and digits and 8 to 20 characters!'),
  PASSWORD_LENGTH: row(200, 400, '密码长度必须在8-20之间', 'The password must have 8 to 20 characters'),
  PASSWORD_COMMON: row(200, 400, '该密码过于常见，容易被猜到，请换一个', 'This password is one of the most common ones and easily guessed, please choose another'),
  PASSWORD_WRONG: row(200, 400, '原密码错误', 'The current password is wrong'),
  REAUTH_REQUIRED: row(200, 403, '请先验证原密码', 'Please confirm your current password first'),
} satisfies Record<string, Row>;
