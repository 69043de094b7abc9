/**
 * The one error type and the closed catalogue of everything the gateway may refuse.
 * An entry fixes the HTTP status of both surfaces, the public text in both languages and the `code` that
 * machines match on. Public text never carries internal text; what is only for the log goes into `internal`.
 */

import { fieldWords } from './field-words.ts';
import { type Fillings, fill, type Locale, type Text } from './text.ts';

export type { Locale, Text };

interface Entry {
  /** Status on `/api`. 200 is the spec's "business failure": the envelope says `success: false`. */
  api: number;
  /** Status on the relay, in the caller's dialect. */
  relay: number;
  text: Text;
  /** What machines match on, where it is not the entry's own name: one code has the words of the thing it is about. */
  code?: 'NOT_FOUND';
}

const entry = (api: number, relay: number, zh: string, en: string): Entry => ({
  api,
  relay,
  text: { zh, en },
});

/** `{name}` in a text is filled from `params`. */
export const catalogue = {
  // Callers of the console.
  AUTH_REQUIRED: entry(
    401,
    401,
    '未登录或登录已过期，请重新登录',
    'Not logged in or login expired, please log in again',
  ),
  SESSION_EXPIRED: entry(
    401,
    401,
    '未登录或登录已过期，请重新登录',
    'Not logged in or login expired, please log in again',
  ),
  USER_MISMATCH: entry(
    401,
    401,
    '当前登录的用户已改变，请刷新页面',
    'Another user is signed in now, please reload the page',
  ),
  ACCESS_TOKEN_INVALID: entry(401, 401, '访问令牌无效', 'Invalid access token'),
  CROSS_SITE: entry(403, 403, '拒绝来自其他站点的请求', 'Requests from another site are refused'),
  FORBIDDEN_ROLE: entry(403, 403, '权限不足', 'Insufficient permissions'),
  DEMO_READONLY: entry(405, 405, '本站仅作演示之用，无服务端', 'This site is for demonstration only'),
  NOT_FOUND: entry(200, 404, '记录不存在', 'The record does not exist'),
  UNKNOWN_ROUTE: entry(404, 404, '接口不存在', 'There is no such call'),
  BAD_PARAM: entry(400, 400, '参数错误：{field}', 'Invalid parameter: {field}'),
  BAD_HOST: entry(400, 400, '请求的主机名无效', 'The Host of the request is none'),
  BODY_TOO_LARGE: entry(413, 413, '请求内容过大', 'The request body is too large'),
  BODY_TIMEOUT: entry(408, 408, '读取请求超时', 'The request body did not arrive in time'),
  BODY_ENCODING: entry(415, 415, '不支持压缩的请求内容', 'Compressed request bodies are not supported'),
  RATE_LIMIT: entry(429, 429, '请求次数过多，请稍后再试', 'Too many requests, please try again later'),
  OVERLOADED: entry(503, 503, '服务繁忙，请稍后再试', 'The server is busy, please try again later'),
  UNAVAILABLE: entry(
    503,
    503,
    '服务暂时不可用，请稍后再试',
    'The service is temporarily unavailable, please try again later',
  ),
  STOPPING: entry(503, 503, '服务正在重启，请稍后再试', 'The server is restarting, please try again'),
  STATUS_FAILED: entry(503, 503, '加载系统状态失败', 'Failed to load status'),
  INTERNAL: entry(
    500,
    500,
    '服务器内部错误，请联系管理员',
    'Internal server error, please contact the administrator',
  ),

  // Set-up and sign-in.
  SETUP_DONE: entry(200, 400, '系统已经初始化完成', 'The system has already been initialised'),
  SETUP_TOKEN: entry(
    403,
    403,
    '初始化令牌无效，请使用启动时打印的链接',
    'Wrong set-up token, please use the link that was printed at the start',
  ),
  SETUP_USERNAME: entry(200, 400, '请输入管理员用户名', 'Please enter the administrator username'),
  SETUP_PASSWORD_SHORT: entry(200, 400, '密码长度至少为8个字符', 'The password needs at least 8 characters'),
  PASSWORD_MISMATCH: entry(200, 400, '两次输入的密码不一致', 'The two passwords do not match'),
  LOGIN_FIELDS: entry(200, 400, '请输入用户名和密码', 'Please enter username and password'),
  LOGIN_WRONG: entry(
    200,
    401,
    '用户名或密码错误，或用户已被封禁',
    'Wrong username or password, or the user is banned',
  ),
  LOGIN_METHOD_CLOSED: entry(
    200,
    403,
    '管理员关闭了该登录方式',
    'The administrator has turned off this way to sign in',
  ),
  REGISTER_CLOSED: entry(200, 403, '管理员关闭了新用户注册', 'The administrator has turned off registration'),
  REGISTER_PASSWORD_SHORT: entry(200, 400, '密码长度不得小于8位', 'Password length must not be less than 8'),
  HUMAN_CHECK_NEEDED: entry(
    200,
    400,
    '请稍后几秒重试，Turnstile 正在检查用户环境',
    'Retry in a few seconds, Turnstile is checking the user environment',
  ),
  HUMAN_CHECK_FAILED: entry(
    200,
    403,
    'Turnstile 校验失败，请重试',
    'The Turnstile check failed, please try again',
  ),
  HUMAN_CHECK_AWAY: entry(
    503,
    503,
    '人机校验暂时不可用，请稍后再试',
    'The human check is temporarily unavailable, please try again later',
  ),
  HUMAN_CHECK_SCRIPT: entry(
    200,
    400,
    '本站启用了人机校验，登录需要浏览器启用 JavaScript',
    'This site checks that visitors are human, so signing in needs JavaScript',
  ),
  AGREEMENT: entry(
    200,
    400,
    '登录或注册需要同意《用户协议》和《隐私协议》',
    'Login or registration requires agreeing to the User Agreement and Privacy Agreement',
  ),
  EMAIL_NEEDED: entry(
    200,
    400,
    '管理员开启了邮箱验证，请输入邮箱地址和验证码',
    'Registration needs an email address and its verification code',
  ),
  EMAIL_DOMAIN: entry(
    200,
    400,
    '管理员启用了邮箱域名白名单，您的邮箱地址不在其中',
    'Email addresses of this domain are not accepted here',
  ),
  EMAIL_ALIAS: entry(
    200,
    400,
    '管理员禁止了邮箱别名，邮箱名中不能有 + 或 .',
    'Email aliases are not accepted here: no + and no . before the @',
  ),
  EMAIL_TAKEN: entry(200, 409, '邮箱地址已被占用', 'The email address belongs to another account'),
  PHONE_TAKEN: entry(200, 409, '手机号已被占用', 'The phone number belongs to another account'),
  IDENTITY_TAKEN: entry(
    200,
    409,
    '该第三方账户已被其他用户绑定',
    'That third-party account is bound to another user',
  ),
  PHONE_NEEDED: entry(200, 400, '请输入手机号', 'Please enter phone number'),
  PHONE_INVALID: entry(200, 400, '请输入正确的手机号', 'Please enter a correct phone number'),
  PHONE_UNKNOWN: entry(
    200,
    403,
    '该手机号尚未注册，管理员未开放手机注册',
    'No account has this phone number, and registration by phone is not open',
  ),
  CODE_NEEDED: entry(200, 400, '请输入验证码', 'Please enter the verification code'),
  IDENTITY_OTHER: entry(
    200,
    409,
    '您已绑定另一个 {provider} 账户，请先解绑',
    'You have bound another {provider} account, please unbind it first',
  ),
  IDENTITY_LAST: entry(
    200,
    409,
    '这是您唯一的登录方式，请先设置密码、绑定邮箱或其他账户',
    'This is your only way to sign in; set a password or bind an email address or another account first',
  ),
  ACCOUNT_CANCELLED: entry(200, 403, '该用户已注销', 'The account was cancelled'),
  OAUTH_STATE: entry(
    403,
    403,
    '登录请求无效或已过期，请重新登录',
    'This sign-in is not valid or has expired, please sign in again',
  ),
  OAUTH_OFF: entry(
    200,
    403,
    '管理员未开启通过 {provider} 登录以及注册',
    'The administrator has not turned on signing in with {provider}',
  ),
  OAUTH_DENIED: entry(
    200,
    403,
    '您没有同意 {provider} 的授权',
    'You did not allow the sign-in at {provider}',
  ),
  OAUTH_CODE: entry(
    200,
    403,
    '{provider} 的授权码无效或已过期，请重新登录',
    'The code of {provider} is not valid or has expired, please sign in again',
  ),
  TELEGRAM_PROOF: entry(
    200,
    403,
    'Telegram 登录信息无效或已过期，请重试',
    'The Telegram sign-in is not valid or has expired, please try again',
  ),
  OAUTH_UNREACHABLE: entry(
    200,
    502,
    '无法从 {provider} 获取用户信息：{reason}',
    '{provider} could not be asked who you are: {reason}',
  ),
  OAUTH_ANSWER: entry(
    200,
    502,
    '{provider} 的回答未通过验证，请联系管理员（{reason}）',
    'The answer of {provider} did not hold, please contact the administrator ({reason})',
  ),
  LINUXDO_ACCOUNT: entry(
    200,
    403,
    'Linux DO 账户未激活或已被禁言',
    'The Linux DO account is not active, or is silenced',
  ),
  LINUXDO_TRUST: entry(
    200,
    403,
    'Linux DO 信任等级未达到管理员要求的 {least} 级',
    'The trust level at Linux DO is below {least}, which the administrator asks for',
  ),
  OIDC_DISCOVERY: entry(
    200,
    400,
    '获取 OIDC 配置失败：{reason}',
    'The OIDC configuration could not be read: {reason}',
  ),
  CODE_WRONG: entry(200, 400, '验证码错误或已过期', 'The verification code is wrong or has expired'),
  SECOND_STEP_OVER: entry(
    200,
    401,
    '登录已超时或验证码错误次数过多，请重新登录',
    'The sign-in took too long or had too many wrong codes, please sign in again',
  ),
  TWO_FACTOR_ON: entry(200, 409, '两步验证已启用', 'Two-factor authentication is on already'),
  TWO_FACTOR_OFF: entry(200, 409, '两步验证未启用', 'Two-factor authentication is not on'),
  TWO_FACTOR_SETUP: entry(
    200,
    409,
    '请先开始设置两步验证',
    'Please begin the set-up of two-factor authentication first',
  ),
  CAPTCHA_NEEDED: entry(200, 403, '请先完成滑块验证', 'Please solve the slide captcha first'),
  CAPTCHA_WRONG: entry(200, 400, '验证失败，请重试', 'Verification failed, please retry'),
  RESET_LINK: entry(200, 400, '重置链接无效或已过期', 'The reset link is invalid or has expired'),
  RESET_NO_ADDRESS: entry(
    200,
    503,
    '管理员未设置服务器地址，无法发送重置链接',
    'The administrator has not set the server address, so no reset link can be sent',
  ),
  FIELD_EMPTY: entry(200, 400, '该字段不能为空', 'The field cannot be empty'),
  USER_DISABLED: entry(401, 403, '用户已被封禁', 'The user is banned'),

  // Users.
  USER_FIELDS: entry(200, 400, '用户名和密码不能为空！', 'Username and password must not be empty!'),
  USERNAME_LENGTH: entry(
    200,
    400,
    '用户名长度不能超过12个字符',
    'The username may have at most 12 characters',
  ),
  USERNAME_CHARS: entry(
    200,
    400,
    '用户名不能含有不可见的字符',
    'The username must not have characters that cannot be seen',
  ),
  USERNAME_TAKEN: entry(200, 409, '用户名已存在，或已注销', 'The username exists already, or was cancelled'),
  PASSWORD_RULE: entry(
    200,
    400,
    '密码必须由英文、数字组成，且长度在8-20之间！',
    'The password must have letters and digits and 8 to 20 characters!',
  ),
  PASSWORD_LENGTH: entry(200, 400, '密码长度必须在8-20之间', 'The password must have 8 to 20 characters'),
  PASSWORD_COMMON: entry(
    200,
    400,
    '该密码过于常见，容易被猜到，请换一个',
    'This password is one of the most common ones and easily guessed, please choose another',
  ),
  PASSWORD_WRONG: entry(200, 400, '原密码错误', 'The current password is wrong'),
  REAUTH_REQUIRED: entry(200, 403, '请先验证原密码', 'Please confirm your current password first'),
  ACCOUNT_NAME_WRONG: entry(200, 400, '账户名不正确！', 'The account name is not right!'),
  USER_LEVEL: entry(
    200,
    403,
    '无权操作同级或更高级别的用户',
    'Users of the same or a higher level cannot be viewed or changed',
  ),
  REASON_LENGTH: entry(200, 400, '原因最多200个字符', 'The reason may have at most 200 characters'),
  USER_GROUP: entry(200, 400, '分组不存在：{group}', 'There is no such group: {group}'),
  QUOTA_CHANGED: entry(
    200,
    409,
    '额度已变化，请刷新后重试',
    'The quota has changed meanwhile, please reload and try again',
  ),
  QUOTA_HELD: entry(
    200,
    409,
    '额度不能低于正在使用的预留额度',
    'The quota cannot be set below what calls under way have reserved',
  ),
  QUOTA_RANGE: entry(200, 400, '额度超出范围', 'The quota is out of range'),

  DISPLAY_NAME_LENGTH: entry(
    200,
    400,
    '显示名称不能超过20个字符',
    'The display name may have at most 20 characters',
  ),
  REMARKS_LENGTH: entry(200, 400, '备注不能超过255个字符', 'The remarks may have at most 255 characters'),
  PROMOTE_DENIED: entry(
    200,
    403,
    '普通管理员无法提升其他用户为管理员',
    'A regular administrator cannot promote other users to administrator',
  ),
  ROOT_PROTECTED: entry(
    200,
    403,
    '无法禁用、删除或降级超级管理员用户',
    'A super admin cannot be disabled, deleted or demoted',
  ),
  ALREADY_ADMIN: entry(200, 409, '该用户已经是管理员', 'The user is an administrator already'),
  ALREADY_USER: entry(200, 409, '该用户已经是普通用户', 'The user is an ordinary user already'),

  // Options.
  OPTION_UNKNOWN: entry(200, 400, '未知的配置项：{key}', 'Unknown option: {key}'),
  OPTION_GROUPS_USED: entry(
    200,
    400,
    '以下分组仍在使用，删除后将按默认分组计费：{groups}',
    'These groups are still in use and would pay as the group default does: {groups}',
  ),
  OPTION_NEEDS: entry(
    200,
    400,
    '无法启用“{key}”，请先设置：{needs}',
    'To turn on “{key}”, please set first: {needs}',
  ),
  OPTION_INVALID: entry(200, 400, '“{key}”无效：{reason}', 'Invalid value for “{key}”: {reason}'),

  // Channels.
  CHANNEL_NOT_FOUND: {
    ...entry(200, 404, '渠道未找到，请刷新页面后重试', 'Channel not found, refresh the page and retry'),
    code: 'NOT_FOUND',
  },
  CHANNEL_FIELDS: entry(200, 400, '请填写渠道名称和密钥', 'Please fill channel name and key'),
  CHANNEL_MODELS: entry(200, 400, '请至少选择一个模型', 'Select at least one model'),
  CHANNEL_JSON: entry(200, 400, '“{field}”不是合法的 JSON 字符串', '{field} is not a valid JSON string'),
  CHANNEL_MAPPING_LOOP: entry(
    200,
    400,
    '模型映射存在循环：{model}',
    'The model mapping has a loop at {model}',
  ),
  CHANNEL_STATUS_MAPPING: entry(
    200,
    400,
    '状态码映射只能在 4xx 与 5xx 之间',
    'A status code may only be mapped from 4xx or 5xx to 4xx or 5xx',
  ),
  CHANNEL_OVERRIDE: entry(
    200,
    400,
    '参数覆盖不能包含字段 {field}',
    'The parameter override must not set {field}',
  ),
  CHANNEL_KEY_FORMAT: entry(200, 400, '密钥格式不正确：{expected}', 'The key has a wrong format: {expected}'),
  CHANNEL_JSON_TWICE: entry(
    200,
    400,
    '“{field}”中的键 {name} 重复',
    'The key {name} stands twice in {field}',
  ),
  CHANNEL_HEADER: entry(
    200,
    400,
    '渠道设置中的 {field} 是保留的请求头，不能覆盖',
    'The channel setting {field} names a reserved header, which cannot be set',
  ),
  CHANNEL_TAG_UNKNOWN: entry(200, 400, '没有渠道使用标签 {tag}', 'No channel has the tag {tag}'),
  CHANNEL_KEY_INVALID: entry(200, 400, '密钥包含无效字符', 'The key holds characters that no key has'),
  CHANNEL_SETTING: entry(200, 400, '渠道设置中的 {field} 无效', 'The channel setting {field} is invalid'),
  CHANNEL_GROUP: entry(200, 400, '渠道分组无效：{reason}', 'The channel group is invalid: {reason}'),
  CHANNEL_TOO_MANY_KEYS: entry(
    200,
    400,
    '一次最多填写 {max} 个密钥',
    'At most {max} keys can be given at once',
  ),
  CHANNEL_TYPE: entry(200, 400, '不支持的渠道类型：{type}', 'This channel type is not supported: {type}'),
  CHANNEL_ADDRESS: entry(200, 400, '渠道地址无效：{reason}', 'The channel address is invalid: {reason}'),
  CHANNEL_KEY_AGAIN: entry(200, 400, '修改{what}时需要重新填写密钥', 'Changing {what} needs the key again'),
  CHANNEL_PRIORITY: entry(
    200,
    400,
    '优先级必须是整数，且不小于 -999',
    'Priority must be an integer of at least -999',
  ),
  CHANNEL_EXPIRY: entry(200, 400, '过期时间必须晚于现在', 'The expiry must lie in the future'),
  CHANNEL_EXPIRED: entry(
    200,
    400,
    '渠道已过期，请先修改过期时间',
    'The channel has expired: change its expiry first',
  ),
  CHANNEL_WEIGHT: entry(200, 400, '权重必须是非负整数', 'Weight must be a non-negative integer'),
  CHANNEL_FETCH: entry(200, 400, '获取模型列表失败：{reason}', 'Failed to fetch model list: {reason}'),
  CHANNEL_BALANCE: entry(200, 400, '查询余额失败：{reason}', 'Failed to fetch the balance: {reason}'),
  CHANNEL_BALANCE_NONE: entry(
    200,
    400,
    '该类型的渠道不支持查询余额',
    'This type of channel does not offer its balance',
  ),
  CHANNEL_NONE_CHOSEN: entry(200, 400, '请先选择要操作的渠道', 'Please select channels first'),
  CHANNEL_NONE_TO_DELETE: entry(200, 400, '请先选择要删除的渠道', 'Please select channels to delete first'),
  CHANNEL_TAG_NEEDED: entry(200, 400, '标签不能为空', 'The tag cannot be empty'),
  CHANNEL_TAG_SAME: entry(200, 400, '没有任何修改', 'No changes'),
  CHANNEL_JOB_RUNNING: entry(200, 400, '该任务正在进行中', 'This work is under way already'),
  CHANNEL_KEY_NEEDED: entry(200, 400, '请填写密钥', 'Please fill key'),

  // Mail.
  MAIL_ADDRESS: entry(200, 400, '邮箱格式不正确', 'The email address is not valid'),
  MAIL_UNSET: entry(
    200,
    503,
    '管理员未设置发信服务器，无法发送邮件',
    'The administrator has not set up mail, so none can be sent',
  ),
  MAIL_UNSENT: entry(
    200,
    502,
    '邮件发送失败，发信服务器的回应：“{reason}”',
    'The mail could not be sent: {reason}',
  ),

  // Text messages.
  SMS_UNSET: entry(
    200,
    503,
    '管理员未设置短信服务，无法发送短信',
    'The administrator has not set up text messages, so none can be sent',
  ),
  SMS_UNSENT: entry(
    200,
    502,
    '短信发送失败，请稍后再试',
    'The text message could not be sent, please try again later',
  ),

  // A user's notifications.
  NOTIFY_THRESHOLD: entry(
    200,
    400,
    '额度预警阈值必须是非负整数',
    'The quota warning threshold must be a whole number, 0 or more',
  ),
  NOTIFY_WEBHOOK: entry(
    200,
    400,
    'Webhook 地址必须以 https:// 开头，最多 500 个字符，且不含用户名和密码',
    'The webhook address must begin with https://, have at most 500 characters, and hold no user name or password',
  ),
  NOTIFY_WEBHOOK_NEEDED: entry(200, 400, '请填写 Webhook 地址', 'Please enter the webhook address'),
  NOTIFY_WEBHOOK_PORT: entry(
    200,
    400,
    'Webhook 地址只能使用端口 443、8443 或系统设置的“对外请求可用的端口”中的端口',
    'A webhook may use the ports 443 and 8443, and those that the option EgressPorts opens',
  ),
  NOTIFY_WEBHOOK_PRIVATE: entry(
    200,
    400,
    'Webhook 地址不能指向内网',
    'The webhook address must not lie in a private network',
  ),
  NOTIFY_SECRET_AGAIN: entry(
    200,
    400,
    '修改 Webhook 地址时需要重新填写密钥',
    'Changing the webhook address needs the secret again',
  ),
  NOTIFY_NOWHERE: entry(
    200,
    400,
    '请先绑定邮箱，或设置通知方式',
    'Please bind an email address or set up your notifications first',
  ),
  NOTIFY_UNSENT: entry(200, 502, '通知发送失败：{reason}', 'The notification could not be sent: {reason}'),

  // The catalogue of models.
  HUB_NAME_TAKEN: entry(200, 400, '模型名称已存在：{name}', 'Model name already exists: {name}'),
  HUB_NUMBER: entry(200, 400, '请输入数字：{name} 的{field}', 'Please enter a number: {field} of {name}'),
  HUB_ICON: entry(
    200,
    400,
    '{name} 的图标必须是不超过 64 KB 的 PNG、JPEG、GIF、WebP 或 SVG 图片',
    'The icon of {name} must be a PNG, JPEG, GIF, WebP or SVG picture of at most 64 KB',
  ),

  // Tokens.
  TOKEN_NAME: entry(200, 400, '令牌名称不能为空', 'Token name cannot be empty'),
  TOKEN_NAME_LENGTH: entry(200, 400, '令牌名称最多50个字符', 'The token name may have at most 50 characters'),
  TOKEN_EXPIRY: entry(200, 400, '过期时间格式错误', 'Expiry time format error'),
  TOKEN_QUOTA: entry(200, 400, '令牌额度必须是非负整数', 'The token quota must be a non-negative integer'),
  TOKEN_GROUP: entry(200, 400, '无权使用分组 {group}', 'You may not use the group {group}'),
  TOKEN_IPS: entry(200, 400, '无效的 IP 或网段：{ip}', 'Not a valid address or network: {ip}'),
  TOKEN_ENABLE_EXPIRED: entry(
    200,
    400,
    '令牌已过期，无法启用，请先修改过期时间',
    'The token has expired; change its expiry before enabling it',
  ),
  TOKEN_ENABLE_EXHAUSTED: entry(
    200,
    400,
    '令牌额度已用尽，无法启用，请先增加额度',
    'The token is exhausted; raise its quota before enabling it',
  ),
  TOKEN_KEY_HIDDEN: entry(
    200,
    403,
    '密钥只在创建时显示一次',
    'The key is shown once only, when the token is made',
  ),
  TOKEN_MODELS: entry(200, 400, '模型限制无效', 'The model limits are invalid'),
  TOKEN_TOO_MANY: entry(200, 400, '令牌数量已达上限', 'You have reached the largest number of tokens'),

  // Logs.
  LOG_TIMEOUT: entry(
    200,
    503,
    '查询超时，请缩小时间范围',
    'The query took too long, please narrow the time range',
  ),

  // The relay. Its texts go out in English; the Chinese ones serve the console's playground and logs.
  invalid_api_key: entry(401, 401, '令牌无效', 'Incorrect API key provided'),
  token_disabled: entry(401, 401, '令牌已禁用', 'This API key is disabled'),
  token_expired: entry(401, 401, '令牌已过期', 'This API key has expired'),
  token_quota_exhausted: entry(403, 403, '令牌额度已用尽', 'The quota of this API key is exhausted'),
  insufficient_user_quota: entry(
    403,
    403,
    '用户额度不足',
    'The quota of this account is not enough for the request',
  ),
  user_disabled: entry(403, 403, '用户已被封禁', 'This account is disabled'),
  ip_not_allowed: entry(403, 403, '该 IP 不允许使用此令牌', 'This API key may not be used from your address'),
  model_not_allowed: entry(
    403,
    403,
    '该令牌无权使用模型 {model}',
    'This API key may not use the model {model}',
  ),
  group_not_allowed: entry(403, 403, '无权使用分组 {group}', 'This account may not use the group {group}'),
  channel_pin_denied: entry(403, 403, '普通用户不支持指定渠道', 'Only administrators may choose a channel'),
  channel_unavailable: entry(
    403,
    403,
    '指定的渠道不存在或已禁用',
    'The chosen channel does not exist or is disabled',
  ),
  model_not_found: entry(404, 404, '模型 {model} 不存在', 'The model {model} does not exist'),
  no_available_channel: entry(
    503,
    503,
    '当前分组 {group} 下对于模型 {model} 无可用渠道',
    'No channel is available for the model {model} in the group {group}',
  ),
  price_not_configured: entry(
    400,
    400,
    '模型 {model} 未配置价格，请超级管理员在系统设置中为它设置倍率或价格',
    'The model {model} has no price; the super admin can set one in the option ModelRatio or ModelPrice',
  ),
  invalid_request: entry(400, 400, '请求无效：{reason}', '{reason}'),
  unknown_operation: entry(404, 404, '接口不存在', 'Unknown request URL'),
  method_not_allowed: entry(405, 405, '不支持的请求方法', 'Method not allowed'),
  previous_response_not_found: entry(
    400,
    400,
    '找不到编号为 {id} 的上一个响应',
    "Previous response with id '{id}' not found.",
  ),
  shared_context_refused: entry(
    400,
    400,
    '此模型的渠道不提供 {field}：请在输入中发送完整内容',
    "'{field}' names what the provider keeps, which no channel of this model offers: send it as input instead.",
  ),
  context_length_exceeded: entry(
    400,
    400,
    '输入过长：此模型的渠道最多接受 {tokens} 个词元',
    'The input is too long: the channels of this model take at most {tokens} tokens.',
  ),
  operation_not_supported: entry(
    400,
    400,
    '该渠道不支持此接口',
    'No channel of this model serves this kind of request',
  ),
  rate_limit_exceeded: entry(
    429,
    429,
    '请求次数过多，请稍后再试',
    'Too many requests, please try again later',
  ),
  sensitive_words_detected: entry(
    400,
    400,
    '内容包含屏蔽词，请修改后重试',
    'The request contains words that are not allowed here',
  ),
  too_many_streams: entry(
    429,
    429,
    '同时进行的流式请求过多，请稍后再试',
    'Too many streams at once, please try again later',
  ),
  upstream_busy: entry(
    429,
    429,
    '当前分组负载已饱和，请稍后再试',
    'The group is saturated, please try again later',
  ),
  upstream_error: entry(502, 502, '上游服务错误：{reason}', 'The upstream service failed: {reason}'),
  upstream_auth: entry(
    502,
    502,
    '上游服务拒绝了渠道的密钥',
    'The upstream service refused the credentials of the channel',
  ),
  upstream_timeout: entry(504, 504, '上游服务超时', 'The upstream service did not answer in time'),
  upstream_rejected: entry(400, 400, '上游服务拒绝了该请求：{reason}', '{reason}'),
  upstream_cut: entry(502, 502, '上游服务中断了回答', 'The upstream service broke off its answer'),
  client_gone: entry(499, 499, '客户端已断开连接', 'The client closed the connection'),
  unavailable: entry(
    503,
    503,
    '服务暂时不可用，请稍后再试',
    'The service is temporarily unavailable, please try again later',
  ),
  body_too_large: entry(413, 413, '请求内容过大', 'The request body is too large'),
  body_timeout: entry(408, 408, '读取请求超时', 'The request body did not arrive in time'),
  body_encoding: entry(415, 415, '不支持压缩的请求内容', 'Compressed request bodies are not supported'),
  stopping: entry(503, 503, '服务正在重启，请稍后再试', 'The server is restarting, please try again'),
  internal: entry(500, 500, '服务器内部错误，请联系管理员', 'Internal server error'),
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

/** Refusals that say what must be done elsewhere first: a console shows them in a window of their own. */
export const SHOWN_IN_MODAL: ReadonlySet<ErrorCode> = new Set([
  'EMAIL_NEEDED',
  'LINUXDO_ACCOUNT',
  'LINUXDO_TRUST',
]);
export type ErrorParams = Fillings;

export interface ErrorDetail {
  params?: ErrorParams;
  /** The field of the request that it is about, as it is spelled there. */
  field?: string;
  cause?: unknown;
  /** For the log only. */
  internal?: string;
  retryAfterSec?: number;
  /** What the envelope carries besides, for clients that know a call's failure by its data. */
  data?: unknown;
  /** More headers of a relay's answer. */
  headers?: Record<string, string>;
  /** Replaces the relay status of the entry, for an upstream's own status that is handed on. */
  status?: number;
  /** How an upstream classed its own error, for one that is handed on. */
  upstream?: { type?: string; code?: string; param?: string | null };
}

/** When what is not there now may be there again, where nothing better is known. */
const AGAIN_SEC = 5;

export class AppError extends Error {
  override readonly name = 'AppError';
  constructor(
    readonly code: ErrorCode,
    readonly detail: ErrorDetail = {},
  ) {
    super(detail.internal ?? code, { cause: detail.cause });
  }

  /** What machines match on. */
  get publicCode(): ErrorCode {
    const named: Entry = catalogue[this.code];
    return named.code ?? this.code;
  }

  get apiStatus(): number {
    return this.detail.status ?? catalogue[this.code].api;
  }

  get relayStatus(): number {
    return this.detail.status ?? catalogue[this.code].relay;
  }

  /** `Retry-After` of an answer of this status, in seconds; every 503 has one. Null for none. */
  retryAfter(status: number): string | null {
    const seconds = this.detail.retryAfterSec ?? (status === 503 ? AGAIN_SEC : 0);
    return seconds > 0 ? String(Math.ceil(seconds)) : null;
  }

  /** The public text. */
  text(locale: Locale): string {
    return fill(catalogue[this.code].text, this.detail.params ?? {}, locale);
  }
}

/** Makes the one error that may be thrown on purpose. */
export const fail = (code: ErrorCode, detail?: ErrorDetail): AppError => new AppError(code, detail);

/** The refusal of a field of a call, by its name in the call. */
export const badParam = (field: string): AppError =>
  fail('BAD_PARAM', { params: { field: fieldWords(field) }, data: { field } });
