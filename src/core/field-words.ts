/**
 * What the fields of the calls are called in words, for messages and records that people read; programs get the field's
 * own name beside them. A name by which calls mean several things, as `key` and `code`, has none.
 */
import { type AsIs, asIs, type Text } from './text.ts';

const words: Readonly<Record<string, Text>> = {
  // The parts of a request.
  body: { zh: '请求内容', en: 'the request body' },
  query: { zh: '查询参数', en: 'the query' },
  params: { zh: '路径参数', en: 'the path' },
  // Lists.
  p: { zh: '页码', en: 'page' },
  page: { zh: '页码', en: 'page' },
  size: { zh: '每页条数', en: 'page size' },
  page_size: { zh: '每页条数', en: 'page size' },
  keyword: { zh: '关键词', en: 'keyword' },
  start_timestamp: { zh: '开始时间', en: 'start time' },
  end_timestamp: { zh: '结束时间', en: 'end time' },
  id_sort: { zh: '排序', en: 'order' },
  tag_mode: { zh: '标签视图', en: 'tag view' },
  after: { zh: '起点', en: 'after' },
  // Anything.
  id: { zh: '编号', en: 'id' },
  ids: { zh: '编号列表', en: 'ids' },
  name: { zh: '名称', en: 'name' },
  value: { zh: '值', en: 'value' },
  type: { zh: '类型', en: 'type' },
  status: { zh: '状态', en: 'status' },
  group: { zh: '分组', en: 'group' },
  group_name: { zh: '分组', en: 'group' },
  groups: { zh: '分组', en: 'groups' },
  models: { zh: '模型', en: 'models' },
  model: { zh: '模型', en: 'model' },
  quota: { zh: '额度', en: 'quota' },
  reason: { zh: '原因', en: 'reason' },
  tag: { zh: '标签', en: 'tag' },
  new_tag: { zh: '新标签', en: 'new tag' },
  created_time: { zh: '创建时间', en: 'created' },
  expired_time: { zh: '过期时间', en: 'expiry' },
  // Accounts.
  username: { zh: '用户名', en: 'username' },
  display_name: { zh: '显示名称', en: 'display name' },
  password: { zh: '密码', en: 'password' },
  password2: { zh: '确认密码', en: 'confirm password' },
  confirmPassword: { zh: '确认密码', en: 'confirm password' },
  original_password: { zh: '原密码', en: 'current password' },
  email: { zh: '邮箱', en: 'email' },
  verification_code: { zh: '验证码', en: 'verification code' },
  phone: { zh: '手机号', en: 'phone number' },
  phone_number: { zh: '手机号', en: 'phone number' },
  mobile: { zh: '手机号', en: 'phone number' },
  aff: { zh: '邀请码', en: 'invitation code' },
  aff_code: { zh: '邀请码', en: 'invitation code' },
  captcha_key: { zh: '滑块验证编号', en: 'captcha key' },
  position: { zh: '滑块位置', en: 'position' },
  state: { zh: '登录状态', en: 'state' },
  action: { zh: '操作', en: 'action' },
  cancelled: { zh: '已注销', en: 'cancelled' },
  private_allowed: { zh: '内网地址', en: 'private address' },
  role: { zh: '角色', en: 'role' },
  remarks: { zh: '备注', en: 'remarks' },
  language: { zh: '语言', en: 'language' },
  setting: { zh: '渠道设置', en: 'channel setting' },
  quota_before: { zh: '修改前的额度', en: 'quota before' },
  add_quota: { zh: '添加的额度', en: 'quota to add' },
  token: { zh: '令牌', en: 'token' },
  setup_token: { zh: '初始化令牌', en: 'set-up token' },
  // Notifications.
  notify_type: { zh: '通知方式', en: 'notification type' },
  quota_warning_threshold: { zh: '额度预警阈值', en: 'quota warning threshold' },
  webhook_url: { zh: 'Webhook 地址', en: 'webhook address' },
  webhook_secret: { zh: '接口凭证', en: 'webhook secret' },
  notification_email: { zh: '通知邮箱', en: 'notification email' },
  accept_unset_model_ratio_model: { zh: '接受未设置价格的模型', en: 'accept models without a price' },
  to: { zh: '收件人', en: 'recipient' },
  // Tokens.
  remain_quota: { zh: '剩余额度', en: 'remaining quota' },
  unlimited_quota: { zh: '不限额度', en: 'unlimited quota' },
  model_limits: { zh: '模型限制', en: 'model limits' },
  model_limits_enabled: { zh: '限制模型', en: 'limit models' },
  allow_ips: { zh: '允许的来源地址', en: 'allowed addresses' },
  // Channels.
  base_url: { zh: '接口地址', en: 'base URL' },
  other: { zh: '附加参数', en: 'other' },
  openai_organization: { zh: '组织', en: 'organization' },
  model_mapping: { zh: '模型映射', en: 'model mapping' },
  status_code_mapping: { zh: '状态码映射', en: 'status code mapping' },
  param_override: { zh: '参数覆盖', en: 'parameter override' },
  test_model: { zh: '测试模型', en: 'test model' },
  max_input_tokens: { zh: '最大输入词元数', en: 'maximum input tokens' },
  auto_ban: { zh: '自动禁用', en: 'switch off on failure' },
  priority: { zh: '优先级', en: 'priority' },
  weight: { zh: '权重', en: 'weight' },
  multi_key_mode: { zh: '密钥使用方式', en: 'key order' },
  key_mode: { zh: '多密钥方式', en: 'several keys' },
  suffix: { zh: '名称后缀', en: 'suffix' },
  stream: { zh: '流式', en: 'stream' },
  // The catalogue of models.
  price: { zh: '价格', en: 'price' },
  ratio: { zh: '倍率', en: 'ratio' },
  completionRatio: { zh: '补全倍率', en: 'completion ratio' },
  thinkingRatio: { zh: '思考输出倍率', en: 'thinking output ratio' },
  cacheRatio: { zh: '缓存倍率', en: 'cache ratio' },
  max_token: { zh: '上下文长度', en: 'context length' },
  sort: { zh: '排序', en: 'order' },
  start_date: { zh: '开始时间', en: 'start' },
  end_date: { zh: '结束时间', en: 'end' },
  activity_id: { zh: '活动编号', en: 'activity' },
  user_ids: { zh: '用户编号列表', en: 'users' },
  desc: { zh: '描述', en: 'description' },
  icon: { zh: '图标', en: 'icon' },
  tags: { zh: '标签', en: 'tags' },
  model_type: { zh: '模型类型', en: 'model types' },
  multimodal: { zh: '多模态', en: 'multimodal' },
  hide: { zh: '隐藏', en: 'hidden' },
  mode: { zh: '计费方式', en: 'billing' },
  update: { zh: '修改的模型', en: 'models to change' },
  delete: { zh: '删除的模型', en: 'models to delete' },
  tiered: { zh: '阶梯价格', en: 'tiers' },
};

/** A field in words; one that nobody has words for as it is spelled. Of `update.0.price` the first part counts. */
export function fieldWords(field: string): Text | AsIs {
  const [first = ''] = field.split('.');
  return (
    (Object.hasOwn(words, field) && words[field]) ||
    (Object.hasOwn(words, first) && words[first]) ||
    asIs(field)
  );
}
