/** Sending mail and text messages. SMTP_URL and SMS_URL of the environment win over these. */
import { checkUrl } from './checks.ts';
import { option } from './define.ts';
import { addressOrUsual, mailServer } from './destination.ts';
import { ALIYUN_SMS_URL, TENCENT_SMS_URL } from './usual-addresses.ts';

const smtp = { panel: 'system', block: 'mail' } as const;
const sms = { panel: 'system', block: 'sms' } as const;

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
    secret: mailServer('SMTPServer', 'SMTPPort', 'SMTPSSLEnabled'),
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
    choices: {
      none: { zh: '无', en: 'None' },
      http: { zh: '自定义接口', en: 'A call of your own' },
      aliyun: { zh: '阿里云', en: 'Alibaba Cloud' },
      tencent: { zh: '腾讯云', en: 'Tencent Cloud' },
      log: { zh: '写入日志（仅用于开发）', en: 'The log, for development only' },
    },
    default: 'none',
    place: sms,
    label: { zh: '短信服务', en: 'SMS provider' },
  }),
  'sms.url': option.text({
    max: 2_000,
    check: checkUrl,
    place: sms,
    label: { zh: '短信接口地址', en: 'SMS address' },
    help: {
      zh: '可用 {phone}、{code}、{sign}、{key}、{secret}；阿里云和腾讯云留空使用默认地址',
      en: 'May hold {phone}, {code}, {sign}, {key} and {secret}. Empty uses the usual address of the two clouds.',
    },
  }),
  'sms.access_key': option.text({
    max: 300,
    place: sms,
    label: { zh: '短信 Access Key', en: 'SMS access key' },
    help: { zh: '腾讯云为 SecretId', en: 'The SecretId of Tencent Cloud.' },
  }),
  'sms.secret_key': option.text({
    secret: addressOrUsual('sms.url', 'sms.provider', {
      aliyun: ALIYUN_SMS_URL,
      tencent: TENCENT_SMS_URL,
    }),
    max: 2_000,
    place: sms,
    label: { zh: '短信 Secret Key', en: 'SMS secret key' },
    help: { zh: '留空则保留原值', en: 'Empty keeps the present one.' },
  }),
  'sms.app_id': option.text({
    max: 100,
    place: sms,
    label: { zh: '短信 SDK AppID', en: 'SMS SDK app id' },
    help: { zh: '仅用于腾讯云', en: 'Of Tencent Cloud only.' },
  }),
  'sms.sign_name': option.text({
    max: 100,
    place: sms,
    label: { zh: '短信签名', en: 'SMS signature' },
  }),
  'sms.template': option.text({
    max: 1_000,
    place: sms,
    label: { zh: '短信模板', en: 'SMS template' },
    help: {
      zh: '云服务填写模板编号，模板中只有验证码一个变量（阿里云变量名为 code）；http 填写请求内容，可用 {phone} 等变量，留空发送 GET 请求',
      en: 'Of a cloud the id of a template whose one variable is the code (at Alibaba Cloud its name is code). With http the body of the call, which may hold {phone} and the others; empty sends a GET.',
    },
  }),
};
