/** Signing in: names and passwords, the second factor, and what keeps machines out. */
import { type Row, row } from './row.ts';

export const signIn = {
  LOGIN_FIELDS: row(200, 400, '请输入用户名和密码', 'Please enter username and password'),
  LOGIN_WRONG: row(200, 401, '用户名或密码错误，或用户已被封禁', 'Wrong username or password, or the user is banned'),
  LOGIN_METHOD_CLOSED: row(200, 403, '管理员关闭了该登录方式', 'The administrator has turned off this way to sign in'),
  HUMAN_CHECK_NEEDED: row(200, 400, '请稍后几秒重试，Turnstile 正在检查用户环境', 'Retry in a few seconds, Turnstile is checking the user environment'),
  HUMAN_CHECK_FAILED: row(200, 403, 'Turnstile 校验失败，请重试', 'The Turnstile check failed, please try again'),
  HUMAN_CHECK_AWAY: row(503, 503, '人机校验暂时不可用，请稍后再试', 'The human check is temporarily unavailable, please try again later'),
  HUMAN_CHECK_SCRIPT: row(200, 400, '本站启用了人机校验，登录需要浏览器启用 JavaScript', 'This site checks that visitors are human, so signing in needs JavaScript'),
  AGREEMENT: row(200, 400, '登录或注册需要同意《用户协议》和《隐私协议》', 'Login or registration requires agreeing to the User Agreement and Privacy Agreement'),
  CODE_NEEDED: row(200, 400, '请输入验证码', 'Please enter the verification code'),
  ACCOUNT_CANCELLED: row(200, 403, '该用户已注销', 'The account was cancelled'),
  CODE_WRONG: row(200, 400, '验证码错误或已过期', 'The verification code is wrong or has expired'),
  SECOND_STEP_OVER: row(200, 401, '登录已超时或验证码错误次数过多，请重新登录', 'The sign-in took too long or had too many wrong codes, please sign in again'),
  TWO_FACTOR_ON: row(200, 409, '两步验证已启用', 'Two-factor authentication is on already'),
  TWO_FACTOR_OFF: row(200, 409, '两步验证未启用', 'Two-factor authentication is not on'),
  TWO_FACTOR_SETUP: row(200, 409, '请先开始设置两步验证', 'Please begin the set-up of two-factor authentication first'),
  PASSKEY_FAILED: row(200, 401, '通行密钥验证失败，请重试', 'The passkey could not be verified, please try again'),
  PASSKEY_SITE: row(200, 400, '此地址不能使用通行密钥', 'Passkeys cannot be used at this address'),
  PASSKEY_ELSEWHERE: row(200, 403, '该账号登录需要通行密钥，请从 {host} 打开控制台登录', 'Signing in to this account takes its passkey: open the console at {host}'),
  PASSKEY_NONE: row(200, 404, '该账号没有可在此地址使用的通行密钥', 'The account has no passkey for this address'),
  PASSKEY_NAME: row(200, 400, '名称长度必须在 1 到 50 之间', 'The name needs 1 to 50 characters'),
  PASSKEY_KNOWN: row(200, 409, '该通行密钥已添加', 'This passkey was added already'),
  PASSKEY_TOO_MANY: row(200, 400, '通行密钥数量已达上限', 'You have reached the largest number of passkeys'),
  CAPTCHA_NEEDED: row(200, 403, '请先完成滑块验证', 'Please solve the slide captcha first'),
  CAPTCHA_WRONG: row(200, 400, '验证失败，请重试', 'Verification failed, please retry'),
} satisfies Record<string, Row>;
