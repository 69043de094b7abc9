/** Sending mail and text messages. SMTP_URL and SMS_URL of the environment win over these. */
import { checkUrl } from './checks.ts';
import { option } from './define.ts';

const smtp = { panel: 'system', block: 'mail' } as const;

export const mail = {
  SMTPServer: option.text({
    max: 300,
    place: smtp,
    label: { zh: 'SMTP 服务器地址', en: 'SMTP server' },
  }),
  SMTPPort: option.integer({
    default: 587,
    min: 1,
    max: 65_535,
    place: smtp,
    label: { zh: 'SMTP 端口', en: 'SMTP port' },
  }),
  SMTPAccount: option.text({
    max: 300,
    place: smtp,
    label: { zh: 'SMTP 账户', en: 'SMTP account' },
  }),
  SMTPFrom: option.text({
    max: 300,
    place: smtp,
    label: { zh: 'SMTP 发送者邮箱', en: 'Sender address' },
    help: { zh: '留空使用 SMTP 账户', en: 'Empty uses the account.' },
  }),
  SMTPToken: option.text({
    secret: true,
    max: 2_000,
    place: smtp,
    label: { zh: 'SMTP 访问凭证', en: 'SMTP password' },
    help: { zh: '留空则保留原值', en: 'Empty keeps the present one.' },
  }),
  SMTPSSLEnabled: option.boolean({
    default: false,
    place: smtp,
    label: { zh: '启用 SMTP SSL', en: 'TLS from the first byte' },
    help: { zh: '端口 465 总是启用', en: 'Always so at port 465.' },
  }),
  'sms.provider': option.choice({
    choices: ['none', 'http', 'aliyun', 'tencent', 'log'],
    default: 'none',
    label: { zh: '短信服务', en: 'SMS provider' },
    help: {
      zh: 'log 把验证码写入日志，仅用于开发',
      en: 'log writes the codes to the log, for development only.',
    },
  }),
  'sms.url': option.text({
    max: 2_000,
    check: checkUrl,
    label: { zh: '短信接口地址', en: 'SMS address' },
  }),
  'sms.access_key': option.text({
    max: 300,
    label: { zh: '短信 Access Key', en: 'SMS access key' },
  }),
  'sms.secret_key': option.text({
    secret: true,
    max: 2_000,
    label: { zh: '短信 Secret Key', en: 'SMS secret key' },
    help: { zh: '留空则保留原值', en: 'Empty keeps the present one.' },
  }),
  'sms.sign_name': option.text({ max: 100, label: { zh: '短信签名', en: 'SMS signature' } }),
  'sms.template': option.text({ max: 1_000, label: { zh: '短信模板', en: 'SMS template' } }),
};
