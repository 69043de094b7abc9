/** The texts that the specification gives word for word, each with the key that shows it. */
import { describe, expect, it } from 'bun:test';
import { catalogue } from '../../src/core/errors.ts';
import en from './en.ts';
import zh from './zh.ts';

/** Where the specification gives the Chinese words, those; where it tells the meaning, how ours begin. */
const words: Partial<Record<keyof typeof zh, { zh: string; en: string }>> = {
  'login.succeeded': { zh: '登录成功', en: 'Login succeeded' },
  'login.failed': { zh: '登录失败，请重试', en: 'Login failed, please retry' },
  'personal.deleted': { zh: '注销成功!', en: 'Account deleted!' },
  'shell.loggedOut': { zh: '注销成功!', en: 'Signed out!' },
  'third.goingBack': { zh: '操作失败，重定向至登录界面中...', en: 'Operation failed' },
  'setup.stateFailed': { zh: '获取初始化状态失败', en: 'Failed to get the set-up status' },
  'setup.formLost': { zh: '表单引用错误，请刷新页面重试', en: 'The form has been lost' },
  'setup.failed': { zh: '系统初始化失败，请重试', en: 'System initialisation failed, please retry' },
  'error.offline': { zh: '无法连接到服务器', en: 'Unable to connect to server' },
  'app.copyByHand': { zh: '无法复制到剪贴板，请手动复制', en: '' },
  'app.nothingChanged': { zh: '你似乎并没有修改什么', en: '' },
  'setting.notSaved': { zh: '保存失败，请重试', en: '' },
  'setting.partlySaved': { zh: '部分保存失败，请重试', en: '' },
  'setting.badJson': { zh: '不是合法的 JSON 字符串', en: '' },
  'setting.checkInput': { zh: '请检查输入', en: '' },
  'channel.gone': { zh: '渠道未找到，请刷新页面后重试', en: 'Channel not found, please refresh' },
  'channel.copyFailed': { zh: '渠道复制失败', en: 'Channel copy failed' },
  'channel.priorityNotWhole': { zh: '优先级必须是整数', en: 'Priority must be an integer' },
  'channel.weightBad': { zh: '权重必须是非负整数', en: 'Weight must be a non-negative integer' },
  'channel.submitFailed': { zh: '提交失败，请勿重复提交！', en: 'Submit failed, do not resubmit' },
  'channel.updated': { zh: '更新成功', en: '' },
  'channel.deleted': { zh: '删除成功', en: 'Deleted' },
  'token.updated': { zh: '更新成功', en: '' },
  'token.deleted': { zh: '删除成功', en: 'Deleted' },
  'user.created.done': { zh: '添加成功', en: 'Added' },
  'user.updated': { zh: '更新成功', en: 'Saved' },
  'prices.nameTaken': { zh: '模型名称已存在', en: '' },
  'prices.zeroPrice': { zh: '模型价格不能为 0', en: '' },
  'prices.notNumber': { zh: '请输入数字', en: '' },
  'prices.selectFirst': { zh: '请先选择需要批量设置的模型', en: '' },
};

const served: Partial<Record<keyof typeof catalogue, string>> = {
  RATE_LIMIT: '请求次数过多，请稍后再试',
  INTERNAL: '服务器内部错误，请联系管理员',
  DEMO_READONLY: '本站仅作演示之用，无服务端',
  USER_FIELDS: '用户名和密码不能为空！',
  CAPTCHA_WRONG: '验证失败，请重试',
  CHANNEL_NONE_TO_DELETE: '请先选择要删除的渠道',
  CHANNEL_KEY_NEEDED: '请填写密钥',
  CHANNEL_FETCH: '获取模型列表失败：{reason}',
  STATUS_FAILED: '加载系统状态失败',
  PASSWORD_RULE: '密码必须由英文、数字组成，且长度在8-20之间！',
  ACCOUNT_NAME_WRONG: '账户名不正确！',
};

describe('the words of the specification', () => {
  it('are those of the console', () => {
    const english: Record<string, string> = en;
    for (const [key, wanted] of Object.entries(words)) {
      expect(`${key}: ${zh[key as keyof typeof zh]}`).toStartWith(`${key}: ${wanted.zh}`);
      expect(`${key}: ${english[key]}`).toStartWith(`${key}: ${wanted.en}`);
    }
  });

  it('are those of the calls', () => {
    for (const [code, text] of Object.entries(served)) {
      expect(`${code}: ${catalogue[code as keyof typeof catalogue].text.zh}`).toBe(`${code}: ${text}`);
    }
  });
});
