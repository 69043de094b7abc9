/** New accounts, and the mail addresses and phone numbers that belong to one. */
import { type Row, row } from './row.ts';

export const registration = {
  REGISTER_CLOSED: row(200, 403, '管理员关闭了新用户注册', 'The administrator has turned off registration'),
  REGISTER_PASSWORD_SHORT: row(200, 400, '密码长度不得小于8位', 'Password length must not be less than 8'),
  EMAIL_NEEDED: row(200, 400, '管理员开启了邮箱验证，请输入邮箱地址和验证码', 'Registration needs an email address and its verification code'),
  EMAIL_DOMAIN: row(200, 400, '管理员启用了邮箱域名白名单，您的邮箱地址不在其中', 'Email addresses of this domain are not accepted here'),
  EMAIL_ALIAS: row(200, 400, '管理员禁止了邮箱别名，邮箱名中不能有 + 或 .', 'Email aliases are not accepted here: no + and no . before the @'),
  EMAIL_TAKEN: row(200, 409, '邮箱地址已被占用', 'The email address belongs to another account'),
  PHONE_TAKEN: row(200, 409, '手机号已被占用', 'The phone number belongs to another account'),
  PHONE_NEEDED: row(200, 400, '请输入手机号', 'Please enter phone number'),
  PHONE_INVALID: row(200, 400, '请输入正确的手机号', 'Please enter a correct phone number'),
  PHONE_UNKNOWN: row(200, 403, '该手机号尚未注册，管理员未开放手机注册', 'No account has this phone number, and registration by phone is not open'),
} satisfies Record<string, Row>;
