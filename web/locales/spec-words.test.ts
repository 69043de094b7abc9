/**
 * The texts that the specification gives, each as a reader of its place sees it. Where it gives the words themselves
 * they are the whole text or its beginning; what it tells in English only stands here in both languages, the English
 * word for word.
 */

import { describe, expect, it } from 'bun:test';
import { fail } from '@core/errors.ts';
import { fieldWords } from '@core/field-words.ts';
import { asIs } from '@core/text.ts';
import { NO_LIMIT } from '@modules/activity/facts.ts';
import { REDEMPTION_COUNT_MAX, REDEMPTION_NAME_MAX } from '@modules/redemption/facts.ts';
import { activityStates, stateOf } from '@/features/activity/activity.ts';
import { type ActivityValues, activityErrors, emptyActivity } from '@/features/activity/form.ts';
import { type ChannelValues, channelErrors, emptyChannel } from '@/features/channel/form.ts';
import { tagErrors, untouched } from '@/features/channel/tag-form.ts';
import { applicationErrors, valuesOf as applicationOf } from '@/features/desk/application.ts';
import { roleErrors } from '@/features/desk/role.ts';
import { deleteErrors, passwordErrors } from '@/features/personal/rules.ts';
import { readCells } from '@/features/prices/draft.ts';
import { emptyRedemption, type RedemptionValues, redemptionErrors } from '@/features/redemption/form.ts';
import { registerErrors } from '@/features/register/rules.ts';
import { fieldError, type OptionField } from '@/features/setting/field.ts';
import { FORM_LOST, setupErrors, setupFailure } from '@/features/setup/rules.ts';
import { phoneErrors } from '@/features/sign-in/phone-rules.ts';
import { emptyToken, tokenErrors } from '@/features/token/form.ts';
import { newUserErrors } from '@/features/user/form.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorText, errorTone } from '@/lib/error-text.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { translatorFor } from '@/lib/translator-for.ts';

type Shown = (t: TFunction, locale: 'zh' | 'en') => string | undefined;
/** Zh, en, and what is shown; an empty text is one that the specification leaves to us. */
type Row = [zh: string, en: string, shown: Shown];

/** What came back with a status and no words. */
const bare = (status: number) => new ApiError({ code: 'TRANSPORT', message: '', status, requestId: '' });
const status =
  (code: number, silent?: Shown): Shown =>
  (t, locale) =>
    errorText(bare(code), t, silent?.(t, locale));

const channel = (over: Partial<ChannelValues>, field: keyof ChannelValues): Shown => {
  const values = { ...emptyChannel, name: 'main', key: 'sk-1', models: ['m'], ...over };
  return (t) => channelErrors(values, { type: undefined, timeZone: 'UTC', now: 0 }, t)[field];
};
const token = (over: Partial<typeof emptyToken>, field: 'name' | 'expiry'): Shown => {
  const values = { ...emptyToken, name: 'ci', ...over };
  return (t) => tokenErrors(values, { timeZone: 'UTC', now: 0, initial: emptyToken }, t)[field];
};
const setup = (over: object, field: 'username' | 'password' | 'confirm'): Shown => {
  const values = { username: 'root', password: 'Passw0rd1', confirm: 'Passw0rd1', token: 'x', ...over };
  return (t) => setupErrors(values, t)[field];
};
const registering = (over: object, field: 'username' | 'password' | 'password2'): Shown => {
  const values = {
    username: 'una',
    password: 'Passw0rd1',
    password2: 'Passw0rd1',
    email: '',
    code: '',
    ...over,
  };
  return (t) => registerErrors(values, { isEmailNeeded: false, t })[field];
};
const option = (kind: 'json' | 'decimal', text: string): Shown => {
  const field = { key: 'x', kind, panel: 'operation', block: 'b', label: '', value: '' };
  return (t) => fieldError({ ...field, is_set: false, secret: false } as OptionField, text, t);
};
const price = (input: string, output: string): Shown => {
  const read = readCells({ mode: 'tokens', input, output, cache: '', thinking: '' }, 'price');
  const wrong = read.ok ? undefined : (read.errors.input ?? read.errors.output);
  return (t) => wrong && t(wrong);
};
const code = (over: Partial<RedemptionValues>, field: keyof RedemptionValues): Shown => {
  const values = { ...emptyRedemption, name: 'spring', ...over };
  return (t) => redemptionErrors(values, { timeZone: 'UTC', now: 0, initial: emptyRedemption }, t)[field];
};
const activity = (over: Partial<ActivityValues>, field: 'name' | 'desc' | 'quota'): Shown => {
  const values = { ...emptyActivity, name: 'spring', desc: 'd', ...over };
  return (t) => activityErrors(values, 'UTC', t)[field];
};
const application = (field: 'name' | 'displayName' | 'version' | 'dxt'): Shown => {
  return (t) => applicationErrors(applicationOf(null), t)[field];
};
const activityState =
  (isOn: boolean): Shown =>
  (t) =>
    t(activityStates[stateOf({ status: isOn, start_date: NO_LIMIT, end_date: NO_LIMIT }, 1)].label);
const refused =
  (...given: Parameters<typeof fail>): Shown =>
  (_t, locale) =>
    fail(...given).text(locale);

const name: string = 'x';
const count = 2;

const table: Record<string, Row[]> = {
  'what a status says': [
    [
      '未登录或登录已过期，请重新登录',
      'Not logged in or login expired, please log in again',
      refused('AUTH_REQUIRED'),
    ],
    [
      '未登录或登录已过期，请重新登录',
      'Not logged in or login expired, please log in again',
      (t) => t('login.expired'),
    ],
    ['请求次数过多，请稍后再试', '', status(429)],
    ['请求次数过多，请稍后再试', '', status(429, (t) => t('login.failed'))],
    ['请求次数过多，请稍后再试', '', refused('RATE_LIMIT')],
    ['服务器内部错误，请联系管理员', '', status(500)],
    ['服务器内部错误，请联系管理员', '', refused('INTERNAL')],
    ['本站仅作演示之用，无服务端', '', status(405)],
    ['本站仅作演示之用，无服务端', '', refused('DEMO_READONLY')],
    ['无法连接到服务器', 'Unable to connect to server', status(0)],
    ['加载系统状态失败', 'Failed to load status', refused('STATUS_FAILED')],
  ],
  'signing in and accounts': [
    ['登录失败，请重试', 'Login failed, please retry', status(0, (t) => t('login.failed'))],
    ['验证失败，请重试', 'Verification failed, please retry', refused('CAPTCHA_WRONG')],
    ['无法复制到剪贴板，请手动复制', '', (t) => t('app.copyByHand')],
    [
      '用户名和密码不能为空！',
      '',
      (t) => newUserErrors({ username: '', displayName: '', password: '' }, t).username,
    ],
    ['用户名和密码不能为空！', '', refused('USER_FIELDS')],
    ['请输入手机号', 'Please enter phone number', (t) => phoneErrors({ phone: '', code: '' }, t).phone],
    [
      '请输入正确的手机号',
      'Please enter a correct phone number',
      (t) => phoneErrors({ phone: '1', code: '' }, t).phone,
    ],
    [
      '请输入验证码',
      'Please enter the verification code',
      (t) => phoneErrors({ phone: '', code: '' }, t).code,
    ],
    [
      '密码长度不得小于8位',
      'Password length must not be less than 8',
      registering({ password: 'x' }, 'password'),
    ],
    ['两次输入的密码不一致', 'The two passwords do not match', registering({ password2: 'x' }, 'password2')],
    ['请输入用户名和密码', 'Please enter username and password', registering({ username: '' }, 'username')],
    [
      '密码必须由英文、数字组成，且长度在8-20之间！',
      '',
      (t) => passwordErrors({ password: 'x', again: '' }, t).password,
    ],
    ['两次输入的密码不一致！', '', (t) => passwordErrors({ password: 'x', again: 'y' }, t).again],
    ['账户名不正确！', '', (t) => deleteErrors({ username: 'x' }, 'una', t).username],
    ['账户名不正确！', '', refused('ACCOUNT_NAME_WRONG')],
    ['操作失败，重定向至登录界面中...', '', (t) => t('third.goingBack')],
  ],
  'the first run': [
    ['获取初始化状态失败', '', (t) => t('setup.stateFailed')],
    ['表单引用错误，请刷新页面重试', '', (t) => setupFailure(FORM_LOST, t)],
    ['初始化失败，请重试', '', (t) => setupFailure(bare(502), t)],
    ['系统初始化失败，请重试', '', (t) => setupFailure(bare(0), t)],
    ['系统初始化失败，请重试', '', (t) => setupFailure(new TypeError('x is no function'), t)],
    ['请输入管理员用户名', '', setup({ username: ' ' }, 'username')],
    ['密码长度至少为8个字符', '', setup({ password: 'x' }, 'password')],
    ['两次输入的密码不一致', '', setup({ confirm: 'x' }, 'confirm')],
  ],
  'what went well': [
    ['操作成功完成', 'Operation completed', (t) => t('user.done.promote', { name })],
    ['操作成功完成', 'Operation completed', (t) => t('user.done.delete', { name })],
    ['操作成功完成', 'Operation completed', (t) => t('channel.enabled', { name })],
    ['操作成功完成', 'Operation completed', (t) => t('channel.disabledMany', { count })],
    ['操作成功完成', 'Operation completed', (t) => t('token.disabled', { name })],
    ['操作成功完成', 'Operation completed', (t) => t('token.changedMany', { count })],
    ['登录成功', 'Login succeeded', (t) => t('login.succeeded')],
    ['注册成功', 'Registered', (t) => t('register.done')],
    [
      '验证码已发送，请检查邮箱',
      'Verification code sent, please check your mailbox',
      (t) => t('register.codeSent'),
    ],
    ['发送成功', 'Sent', (t) => t('phone.codeSent')],
    ['更新成功', 'Updated', (t) => t('channel.updated')],
    ['更新成功', 'Updated', (t) => t('user.updated')],
    ['更新成功', 'Updated', (t) => t('token.updated')],
    ['更新成功', 'Updated', (t) => t('user.quotaAdded', { name })],
    ['更新成功', 'Updated', (t) => t('channel.tagChanged', { count })],
    ['更新成功', 'Updated', (t) => t('channel.tagged', { count, tag: 'x' })],
    ['添加成功', 'Added', (t) => t('user.created.done', { name })],
    ['添加成功', 'Added', (t) => t('channel.created', { count })],
    ['添加成功', 'Added', (t) => t('token.batchDone', { count })],
    ['删除成功', 'Deleted', (t) => t('channel.deleted', { name })],
    ['删除成功', 'Deleted', (t) => t('channel.deletedMany', { count })],
    ['删除成功', 'Deleted', (t) => t('token.deleted', { name })],
    ['删除成功', 'Deleted', (t) => t('token.deletedMany', { count })],
    ['保存成功', 'Saved', (t) => t('setting.saved')],
    ['注销成功!', '', (t) => t('personal.deleted')],
    ['注销成功!', '', (t) => t('shell.loggedOut')],
  ],
  'options and prices': [
    ['你似乎并没有修改什么', 'You seem to have changed nothing', (t) => t('app.nothingChanged')],
    ['不是合法的 JSON 字符串', 'Not a valid JSON string', option('json', '{')],
    ['请检查输入', 'Please check input', (t) => t('setting.checkInput')],
    ['保存失败，请重试', 'Save failed, please retry', (t) => t('setting.notSaved')],
    ['部分保存失败，请重试', 'Partial save failed, please retry', (t) => t('setting.partlySaved')],
    ['保存失败', 'Save failed', (t) => t('prices.notSaved', { reason: 'x' })],
    ['请输入数字', 'Please enter a number', option('decimal', 'x')],
    ['请输入数字', 'Please enter a number', price('x', '')],
    [
      '请输入数字',
      'Please enter a number',
      refused('HUB_NUMBER', { params: { name: asIs(name), field: fieldWords('price') } }),
    ],
    ['模型价格不能为 0', 'Model price cannot be 0', price('0', '1')],
    ['模型名称已存在', 'Model name already exists', (t) => t('prices.nameTaken')],
    [
      '模型名称已存在',
      'Model name already exists',
      refused('HUB_NAME_TAKEN', { params: { name: asIs(name) } }),
    ],
    ['请先选择需要批量设置的模型', 'Select models to batch set first', (t) => t('prices.selectFirst')],
    ['获取启用模型失败', 'Failed to get enabled models', (t) => t('prices.modelsFailed', { reason: 'x' })],
    ['刷新失败', 'Refresh failed', (t) => t('table.refreshFailed')],
  ],
  channels: [
    ['请填写渠道名称和密钥', 'Please fill channel name and key', channel({ name: '' }, 'name')],
    ['请填写渠道名称和密钥', 'Please fill channel name and key', channel({ key: '' }, 'key')],
    ['请填写渠道名称和密钥', 'Please fill channel name and key', refused('CHANNEL_FIELDS')],
    ['请至少选择一个模型', 'Select at least one model', channel({ models: [] }, 'models')],
    ['请至少选择一个模型', 'Select at least one model', refused('CHANNEL_MODELS')],
    ['不是合法的 JSON 字符串', 'Not a valid JSON string', channel({ mapping: '{' }, 'mapping')],
    ['请填写密钥', 'Please fill key', (t) => t('channel.fillKey')],
    ['请填写密钥', 'Please fill key', refused('CHANNEL_KEY_NEEDED')],
    ['部分模型已存在', 'Some models already exist', (t) => t('channel.modelsExist', { names: 'x' })],
    ['优先级必须是整数', 'Priority must be an integer', channel({ priority: '1.5' }, 'priority')],
    ['优先级必须是整数', 'Priority must be an integer', channel({ priority: '-1000' }, 'priority')],
    ['优先级必须是整数', 'Priority must be an integer', refused('CHANNEL_PRIORITY')],
    [
      '优先级必须是整数',
      'Priority must be an integer',
      (t) => tagErrors({ ...untouched(''), priority: 'x' }, t).priority,
    ],
    ['权重必须是非负整数', 'Weight must be a non-negative integer', channel({ weight: '-1' }, 'weight')],
    ['权重必须是非负整数', 'Weight must be a non-negative integer', refused('CHANNEL_WEIGHT')],
    ['没有任何修改', 'No changes', (t) => t('channel.tagSame')],
    ['没有任何修改', 'No changes', refused('CHANNEL_TAG_SAME')],
    ['渠道未找到，请刷新', 'Channel not found, refresh', refused('CHANNEL_NOT_FOUND')],
    ['渠道复制失败', 'Channel copy failed', (t) => t('channel.copyFailed', { reason: 'x' })],
    ['请先选择要删除的渠道', 'Please select channels to delete first', refused('CHANNEL_NONE_TO_DELETE')],
    [
      '提交失败，请勿重复提交！',
      'Submit failed, do not resubmit',
      status(0, (t) => t('channel.submitFailed')),
    ],
    ['获取模型列表失败', 'Failed to fetch model list', status(502, (t) => t('channel.fetchFailed'))],
    [
      '获取模型列表失败',
      'Failed to fetch model list',
      refused('CHANNEL_FETCH', { params: { reason: asIs(name) } }),
    ],
    ['未知状态', 'Unknown status', (t) => t('channel.unknownStatus')],
    ['未知类型', 'Unknown type', (t) => t('channel.unknownType')],
  ],
  tokens: [
    ['令牌名称不能为空', 'Token name cannot be empty', token({ name: '' }, 'name')],
    ['令牌名称不能为空', 'Token name cannot be empty', refused('TOKEN_NAME')],
    ['过期时间格式错误', 'Expiry time format error', token({ expiry: 'soon' }, 'expiry')],
    ['过期时间格式错误', 'Expiry time format error', refused('TOKEN_EXPIRY')],
  ],
  'redemption codes': [
    ['名称长度必须在1-20之间', '', code({ name: ' ' }, 'name')],
    ['名称长度必须在1-20之间', '', code({ name: 'x'.repeat(21) }, 'name')],
    ['兑换码名称长度必须在1-20之间', '', refused('REDEMPTION_NAME')],
    ['生成数量必须在 1 到 100 之间', '', code({ count: '0' }, 'count')],
    ['生成数量必须在 1 到 100 之间', '', code({ count: '101' }, 'count')],
    ['生成数量必须在 1 到 100 之间', '', refused('REDEMPTION_COUNT')],
    ['额度必须是正整数', '', code({ quota: 'x' }, 'quota')],
    ['额度必须是正整数', '', refused('REDEMPTION_QUOTA')],
    ['未使用', 'Unused', (t) => t('redemption.state.unused')],
    ['已禁用', 'Disabled', (t) => t('redemption.state.disabled')],
    ['已使用', 'Used', (t) => t('redemption.state.used')],
  ],
  'topping up': [
    ['请输入兑换码！', 'Please enter redemption code', (t) => t('wallet.codeNeeded')],
    ['请输入兑换码！', 'Please enter redemption code', refused('REDEMPTION_NEEDED')],
    ['请求失败', 'Request failed', status(0, (t) => t('wallet.failed'))],
    ['请求失败', 'Request failed', refused('PAY_FAILED')],
    ['超级管理员未设置充值链接！', 'Super admin has not set top-up link', (t) => t('wallet.noLink')],
    ['管理员未开启在线充值！', 'Admin has not enabled online top-up', refused('TOPUP_OFF')],
    ['管理员未开启在线充值！', 'Admin has not enabled online top-up', (t) => t('wallet.noPayment')],
    ['充值数量不能小于 5', 'Top-up amount cannot be less than 5', (t) => t('payment.least', { min: '5' })],
    [
      '充值数量不能小于 5',
      'Top-up amount cannot be less than 5',
      refused('TOPUP_AMOUNT', { params: { min: 5 } }),
    ],
    ['充值数量必须是不小于 1 的整数', '', (t) => t('payment.whole')],
    ['充值数量必须是不小于 1 的整数', '', refused('TOPUP_AMOUNT_WHOLE')],
  ],
  'activities and rewards': [
    ['只能输入整数', 'Only whole numbers can be entered', activity({ quota: '1.5' }, 'quota')],
    ['只能输入整数', 'Only whole numbers can be entered', activity({ quota: '' }, 'quota')],
    ['只能输入整数', 'Only whole numbers can be entered', refused('ACTIVITY_QUOTA')],
    ['请输入活动名称', '', activity({ name: ' ' }, 'name')],
    ['请输入活动名称', '', refused('ACTIVITY_NAME')],
    ['请输入活动描述', '', activity({ desc: '' }, 'desc')],
    ['请输入活动描述', '', refused('ACTIVITY_DESC')],
    ['进行中', 'In progress', activityState(true)],
    ['已结束', 'Ended', activityState(false)],
    ['添加成功', '', (t) => t('activity.made')],
    ['更新成功', '', (t) => t('activity.updated')],
    ['每 7 天免费领取一次', 'Free every 7 days', (t) => t('activity.fuelPackFree', { count: 7 })],
    ['转账额度不足！', '', (t) => t('invitation.short')],
    ['转账额度不足！', '', refused('TRANSFER_SHORT')],
  ],
  'what companion clients are served': [
    ['角色格式不正确', '', (t) => roleErrors({ name: 'x', role: 'a =' }, 'toml', t).role],
    ['角色格式不正确', '', refused('AI_ROLE_FORMAT')],
    ['应用名称不能为空', 'Application name cannot be empty', application('name')],
    ['应用名称不能为空', 'Application name cannot be empty', refused('APP_NAME_NEEDED')],
    ['显示名称不能为空', 'Display name cannot be empty', application('displayName')],
    ['显示名称不能为空', 'Display name cannot be empty', refused('APP_DISPLAY_NAME_NEEDED')],
    ['版本不能为空', 'Version cannot be empty', application('version')],
    ['版本不能为空', 'Version cannot be empty', refused('APP_VERSION_NEEDED')],
    ['DXT地址不能为空', 'DXT address cannot be empty', application('dxt')],
    ['DXT地址不能为空', 'DXT address cannot be empty', refused('APP_DXT_NEEDED')],
    ['请选择要删除的应用', '', (t) => t('application.chooseFirst')],
    ['请选择要删除的应用', '', refused('APP_NONE_CHOSEN')],
    ['添加成功', '', (t) => t('desk.added')],
    ['更新成功', '', (t) => t('desk.updated')],
    ['删除成功', '', (t) => t('desk.deleted')],
    ['应用创建成功', '', (t) => t('application.created')],
    ['应用更新成功', '', (t) => t('application.updated')],
    ['应用删除成功', '', (t) => t('application.deleted')],
    ['批量删除成功', '', (t) => t('application.batchDeleted')],
  ],
};

const translators = { zh: translatorFor('zh'), en: translatorFor('en') };

describe.each(Object.entries(table))('the words of the specification for %s', (_about, rows) => {
  it.each(rows)('%s · %s', (zh, en, shown) => {
    expect(shown(translators.zh, 'zh')).toStartWith(zh);
    const told = shown(translators.en, 'en');
    if (en) expect(told).toStartWith(en);
    else expect(told).toMatch(/^\P{Script=Han}+$/u);
  });
});

it('a site that only shows itself is told of as information, not as an error', () => {
  expect([405, 429, 500].map((code) => errorTone(bare(code)))).toEqual(['plain', 'bad', 'bad']);
});

it('what the specification allows of redemption codes is not refused', () => {
  const least = { ...emptyRedemption, name: 'x' };
  const most = { ...least, name: 'x'.repeat(REDEMPTION_NAME_MAX), count: String(REDEMPTION_COUNT_MAX) };
  expect([most.name.length, most.count, least.quota, least.count]).toEqual([20, '100', '100000', '1']);
  const surroundings = { timeZone: 'UTC', now: 0, initial: emptyRedemption };
  for (const values of [least, most]) {
    expect(Object.values(redemptionErrors(values, surroundings, translators.zh)).filter(Boolean)).toEqual([]);
  }
});
