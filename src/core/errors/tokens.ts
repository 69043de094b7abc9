/** Tokens. */
import { type Row, row } from './row.ts';

export const tokens = {
  TOKEN_NAME: row(200, 400, '令牌名称不能为空', 'Token name cannot be empty'),
  TOKEN_NAME_LENGTH: row(200, 400, '令牌名称最多50个字符', 'The token name may have at most 50 characters'),
  TOKEN_EXPIRY: row(200, 400, '过期时间格式错误', 'Expiry time format error'),
  TOKEN_QUOTA: row(200, 400, '令牌额度必须是非负整数', 'The token quota must be a non-negative integer'),
  TOKEN_GROUP: row(200, 400, '无权使用分组 {group}', 'You may not use the group {group}'),
  TOKEN_IPS: row(200, 400, '无效的 IP 或网段：{ip}', 'Not a valid address or network: {ip}'),
  TOKEN_ENABLE_EXPIRED: row(200, 400, '令牌已过期，无法启用，请先修改过期时间', 'The token has expired; change its expiry before enabling it'),
  TOKEN_ENABLE_EXHAUSTED: row(200, 400, '令牌额度已用尽，无法启用，请先增加额度', 'The token is exhausted; raise its quota before enabling it'),
  TOKEN_KEY_HIDDEN: row(200, 403, '密钥只在创建时显示一次', 'The key is shown once only, when the token is made'),
  TOKEN_MODELS: row(200, 400, '模型限制无效', 'The model limits are invalid'),
  TOKEN_LISTS: row(200, 400, '令牌的模型限制与 IP 限制合计最多 {kib} KiB', 'The model and address limits of a token may have at most {kib} KiB together'),
  TOKEN_LISTS_OF_ALL: row(200, 400, '这些令牌的模型限制与 IP 限制合计最多 {kib} KiB', 'The model and address limits of these tokens may have at most {kib} KiB together'),
  TOKEN_TOO_MANY: row(200, 400, '令牌数量已达上限', 'You have reached the largest number of tokens'),
  TOKEN_TOO_MANY_DELETED: row(200, 400, '一天内创建又删除的令牌过多，请明天再试', 'You have made and deleted too many tokens within a day; try again tomorrow'),
} satisfies Record<string, Row>;
