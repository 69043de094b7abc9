/** The ways to sign in and register. */
import { checkPicture, checkUrl } from './checks.ts';
import { option } from './define.ts';
import { addressIn, FIXED } from './destination.ts';
import { GITHUB_URL, LINUXDO_URL } from './usual-addresses.ts';

const registration = { panel: 'system', block: 'registration' } as const;
const github = { panel: 'system', block: 'github' } as const;
const google = { panel: 'system', block: 'google' } as const;
const oidc = { panel: 'system', block: 'oidc' } as const;
const linuxdo = { panel: 'system', block: 'linuxdo' } as const;
const humanCheck = { panel: 'system', block: 'human-check' } as const;
const telegram = { panel: 'system', block: 'telegram' } as const;
const wechat = { panel: 'system', block: 'wechat' } as const;
const ID_MAX = 300;
const SECRET_MAX = 2_000;
const EMPTY_KEEPS = { zh: '留空则保留原值', en: 'Empty keeps the present one.' };

/** What is to be entered at the third party. */
const callbackOf = (provider: string) => ({
  zh: `回调地址：服务器地址/oauth/${provider}`,
  en: `Its callback address is the server address with /oauth/${provider}.`,
});

export const signIn = {
  // Passwords and registration.
  PasswordLoginEnabled: option.boolean({
    default: true,
    status: 'enabled_password_login',
    place: { panel: 'system', block: 'sign-in' },
    label: { zh: '允许通过密码登录', en: 'Sign in with a password' },
    help: {
      zh: '关闭后超级管理员仍可在 /login?by=password 用密码登录',
      en: 'The super admin always can, at /login?by=password.',
    },
  }),
  RegisterEnabled: option.boolean({
    default: true,
    place: registration,
    label: { zh: '允许新用户注册', en: 'New users may register' },
  }),
  PasswordRegisterEnabled: option.boolean({
    default: true,
    place: registration,
    label: { zh: '允许通过密码注册', en: 'Register with a password' },
  }),
  PhoneLoginEnabled: option.boolean({
    default: false,
    place: { panel: 'system', block: 'sign-in' },
    label: { zh: '允许通过手机登录', en: 'Sign in with a phone code' },
    help: { zh: '需要设置短信服务', en: 'Needs an SMS provider.' },
  }),
  PhoneRegisterEnabled: option.boolean({
    default: false,
    place: registration,
    label: { zh: '允许通过手机注册', en: 'Register with a phone code' },
    help: { zh: '需要设置短信服务', en: 'Needs an SMS provider.' },
  }),
  EmailVerificationEnabled: option.boolean({
    default: false,
    status: 'email_verification',
    place: registration,
    label: { zh: '注册时验证邮箱', en: 'Registration needs a verified e-mail' },
  }),
  EmailDomainRestrictionEnabled: option.boolean({
    default: false,
    place: registration,
    label: { zh: '启用邮箱域名白名单', en: 'Only e-mail of listed domains' },
  }),
  EmailDomainWhitelist: option.lines({
    maxLines: 1_000,
    check: (line) =>
      /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(line)
        ? null
        : { zh: `“${line}”不是域名`, en: `"${line}" is not a domain` },
    place: registration,
    label: { zh: '邮箱域名白名单', en: 'Listed e-mail domains' },
    help: { zh: '每行一个', en: 'One a line.' },
  }),
  EmailAliasRestrictionEnabled: option.boolean({
    default: false,
    place: registration,
    label: { zh: '禁止邮箱别名', en: 'No e-mail aliases' },
    help: { zh: '邮箱名中不能有 + 或 .', en: 'No + and no . before the @.' },
  }),

  // Human check.
  TurnstileCheckEnabled: option.boolean({
    default: false,
    place: humanCheck,
    label: { zh: '启用 Turnstile 用户校验', en: 'Human check by Turnstile' },
    help: {
      zh: '用于登录、注册、验证码和重置密码；请先确认密钥正确，否则无人能登录',
      en: 'For signing in, registering, codes and resets. With wrong keys nobody can sign in.',
    },
  }),
  TurnstileSiteKey: option.text({
    place: humanCheck,
    max: ID_MAX,
    status: 'turnstile_site_key',
    label: { zh: 'Turnstile 站点密钥', en: 'Turnstile site key' },
  }),
  TurnstileSecretKey: option.text({
    place: humanCheck,
    secret: addressIn('TurnstileVerifyURL'),
    max: SECRET_MAX,
    label: { zh: 'Turnstile 私密密钥', en: 'Turnstile secret key' },
    help: EMPTY_KEEPS,
  }),
  TurnstileVerifyURL: option.text({
    place: humanCheck,
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    max: ID_MAX,
    check: checkUrl,
    label: { zh: '校验地址', en: 'Verification address' },
    help: { zh: '仅在使用兼容的校验服务时修改', en: 'To be changed only for a compatible service.' },
  }),

  // Third parties.
  GitHubOAuthEnabled: option.boolean({
    place: github,
    default: false,
    label: { zh: '允许通过 GitHub 登录', en: 'Sign in with GitHub' },
    help: callbackOf('github'),
  }),
  GitHubClientId: option.text({
    place: github,
    max: ID_MAX,
    status: 'github_client_id',
    label: { zh: 'GitHub 客户端编号', en: 'GitHub client id' },
  }),
  GitHubClientSecret: option.text({
    place: github,
    secret: addressIn('GitHubServerAddress', GITHUB_URL),
    max: SECRET_MAX,
    label: { zh: 'GitHub 客户端密钥', en: 'GitHub client secret' },
    help: EMPTY_KEEPS,
  }),
  GitHubServerAddress: option.text({
    place: github,
    max: ID_MAX,
    check: checkUrl,
    label: { zh: 'GitHub 服务器地址', en: 'GitHub server address' },
    help: {
      zh: '仅用于 GitHub Enterprise Server，留空使用 github.com。换成另一服务器后，原有的绑定不再有效',
      en: 'For GitHub Enterprise Server; empty means github.com. Accounts that are bound at one server are nobody’s at another.',
    },
  }),
  GoogleOAuthEnabled: option.boolean({
    place: google,
    default: false,
    label: { zh: '允许通过 Google 登录', en: 'Sign in with Google' },
    help: callbackOf('google'),
  }),
  GoogleClientId: option.text({
    place: google,
    max: ID_MAX,
    status: 'google_client_id',
    label: { zh: 'Google 客户端编号', en: 'Google client id' },
  }),
  GoogleClientSecret: option.text({
    place: google,
    secret: FIXED,
    max: SECRET_MAX,
    label: { zh: 'Google 客户端密钥', en: 'Google client secret' },
    help: EMPTY_KEEPS,
  }),
  LinuxDOOAuthEnabled: option.boolean({
    place: linuxdo,
    default: false,
    label: { zh: '允许通过 Linux DO 登录', en: 'Sign in with Linux DO' },
    help: callbackOf('linuxdo'),
  }),
  LinuxDOClientId: option.text({
    place: linuxdo,
    max: ID_MAX,
    status: 'linuxdo_client_id',
    label: { zh: 'Linux DO 客户端编号', en: 'Linux DO client id' },
  }),
  LinuxDOClientSecret: option.text({
    place: linuxdo,
    secret: addressIn('LinuxDOServerAddress', LINUXDO_URL),
    max: SECRET_MAX,
    label: { zh: 'Linux DO 客户端密钥', en: 'Linux DO client secret' },
    help: EMPTY_KEEPS,
  }),
  LinuxDOServerAddress: option.text({
    place: linuxdo,
    max: ID_MAX,
    check: checkUrl,
    label: { zh: 'Linux DO 服务器地址', en: 'Linux DO server address' },
    help: {
      zh: '留空使用 https://connect.linux.do。换成另一服务器后，原有的绑定不再有效',
      en: 'Empty means https://connect.linux.do. Accounts that are bound at one server are nobody’s at another.',
    },
  }),
  LinuxDOMinimumTrustLevel: option.integer({
    place: linuxdo,
    default: 0,
    max: 4,
    label: { zh: 'Linux DO 最低信任等级', en: 'Least trust level of Linux DO' },
  }),
  TelegramOAuthEnabled: option.boolean({
    place: telegram,
    default: false,
    label: { zh: '允许通过 Telegram 登录', en: 'Sign in with Telegram' },
    help: {
      zh: '请先用 BotFather 的 /setdomain 设置本站域名',
      en: 'Tell BotFather the domain of this site first, by /setdomain.',
    },
  }),
  TelegramBotName: option.text({
    place: telegram,
    max: ID_MAX,
    status: 'telegram_bot_name',
    label: { zh: 'Telegram Bot 名称', en: 'Telegram bot name' },
  }),
  TelegramBotToken: option.text({
    place: telegram,
    secret: FIXED,
    max: SECRET_MAX,
    check: (text) =>
      text === '' || /^\d+:[\w-]+$/.test(text)
        ? null
        : { zh: '格式应为 123456:ABC…', en: 'it looks like 123456:ABC…' },
    label: { zh: 'Telegram 机器人令牌', en: 'Telegram bot token' },
    help: EMPTY_KEEPS,
  }),
  WeChatAuthEnabled: option.boolean({
    place: wechat,
    default: false,
    label: { zh: '允许通过微信登录', en: 'Sign in with WeChat' },
  }),
  WeChatServerAddress: option.text({
    place: wechat,
    max: ID_MAX,
    check: checkUrl,
    label: { zh: '微信服务器地址', en: 'WeChat server address' },
    help: {
      zh: '由它确认验证码属于谁；http 地址须在环境变量 PRIVATE_EGRESS 列出的网段内',
      en: 'It says whose code it is. Plain http only to networks that PRIVATE_EGRESS lists.',
    },
  }),
  WeChatServerToken: option.text({
    place: wechat,
    secret: addressIn('WeChatServerAddress'),
    max: SECRET_MAX,
    label: { zh: '微信服务器访问凭证', en: 'WeChat server token' },
    help: EMPTY_KEEPS,
  }),
  WeChatAccountQRCodeImageURL: option.text({
    place: wechat,
    max: 2_000,
    status: 'wechat_qrcode',
    check: checkPicture,
    label: { zh: '微信公众号二维码图片地址', en: 'Address of the WeChat QR code' },
  }),
  'oidc.enabled': option.boolean({
    place: oidc,
    default: false,
    label: { zh: '允许通过 OIDC 登录', en: 'Sign in with OIDC' },
    help: callbackOf('oidc'),
  }),
  'oidc.client_id': option.text({
    place: oidc,
    max: ID_MAX,
    status: 'oidc_client_id',
    label: { zh: 'OIDC 客户端编号', en: 'OIDC client id' },
  }),
  'oidc.client_secret': option.text({
    place: oidc,
    secret: addressIn('oidc.token_endpoint'),
    max: SECRET_MAX,
    label: { zh: 'OIDC 客户端密钥', en: 'OIDC client secret' },
    help: EMPTY_KEEPS,
  }),
  'oidc.well_known': option.text({
    place: oidc,
    max: 2_000,
    check: checkUrl,
    label: { zh: '发现文档地址', en: 'Well-known address' },
    help: {
      zh: '可由此获取下面三个地址；填写后按其中的签发者和公钥验证身份。换成另一签发者后，原有的绑定不再有效',
      en: 'The three addresses below can be read from it; its issuer and keys then prove who signs in. Accounts that are bound to one issuer are nobody’s at another.',
    },
  }),
  'oidc.authorization_endpoint': option.text({
    place: oidc,
    max: 2_000,
    status: 'oidc_authorization_endpoint',
    check: checkUrl,
    label: { zh: '授权地址', en: 'Authorization endpoint' },
  }),
  'oidc.token_endpoint': option.text({
    place: oidc,
    max: 2_000,
    check: checkUrl,
    label: { zh: '令牌地址', en: 'Token endpoint' },
  }),
  'oidc.user_info_endpoint': option.text({
    place: oidc,
    max: 2_000,
    check: checkUrl,
    label: { zh: '用户信息地址', en: 'User info endpoint' },
  }),
  'oauth.link_by_email': option.boolean({
    default: false,
    place: { panel: 'system', block: 'sign-in' },
    label: { zh: '按已验证的邮箱关联账号', en: 'Link accounts by verified e-mail' },
    help: {
      zh: '第三方声明已验证的邮箱与现有账号相同时，直接登录该账号并绑定；管理员账号除外',
      en: 'Who signs in with a third party that has verified his e-mail gets the account with that e-mail, and the two are bound. Never an account of an administrator.',
    },
  }),
};
