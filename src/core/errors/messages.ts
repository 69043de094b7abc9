/** Mail, text messages and the notifications of users. */
import { type Row, row } from './row.ts';

export const messages = {
  MAIL_ADDRESS: row(200, 400, '邮箱格式不正确', 'The email address is not valid'),
  MAIL_UNSET: row(200, 503, '管理员未设置发信服务器，无法发送邮件', 'The administrator has not set up mail, so none can be sent'),
  MAIL_UNSENT: row(200, 502, '邮件发送失败，发信服务器的回应：“{reason}”', 'The mail could not be sent: {reason}'),
  SMS_UNSET: row(200, 503, '管理员未设置短信服务，无法发送短信', 'The administrator has not set up text messages, so none can be sent'),
  SMS_UNSENT: row(200, 502, '短信发送失败，请稍后再试', 'The text message could not be sent, please try again later'),
  NOTIFY_THRESHOLD: row(200, 400, '额度预警阈值必须是非负整数', 'The quota warning threshold must be a whole number, 0 or more'),
  NOTIFY_WEBHOOK: row(200, 400, 'Webhook 地址必须以 https:// 开头，最多 500 个字符，且不含用户名和密码', 'The webhook address must begin with https://, have at most 500 characters, and hold no user name or password'),
  NOTIFY_WEBHOOK_NEEDED: row(200, 400, '请填写 Webhook 地址', 'Please enter the webhook address'),
  NOTIFY_WEBHOOK_PORT: row(200, 400, 'Webhook 地址只能使用端口 443、8443 或系统设置的“对外请求可用的端口”中的端口', 'A webhook may use the ports 443 and 8443, and those that the option EgressPorts opens'),
  NOTIFY_WEBHOOK_PRIVATE: row(200, 400, 'Webhook 地址不能指向内网', 'The webhook address must not lie in a private network'),
  NOTIFY_SECRET_AGAIN: row(200, 400, '修改 Webhook 地址时需要重新填写密钥', 'Changing the webhook address needs the secret again'),
  NOTIFY_NOWHERE: row(200, 400, '请先绑定邮箱，或设置通知方式', 'Please bind an email address or set up your notifications first'),
  NOTIFY_UNSENT: row(200, 502, '通知发送失败：{reason}', 'The notification could not be sent: {reason}'),
} satisfies Record<string, Row>;
