/** Users: their fields, roles and quota. */
import { type Row, row } from './row.ts';

export const users = {
  USER_FIELDS: row(200, 400, '用户名和密码不能为空！', 'Username and password must not be empty!'),
  USERNAME_LENGTH: row(200, 400, '用户名长度不能超过12个字符', 'The username may have at most 12 characters'),
  USERNAME_CHARS: row(200, 400, '用户名不能含有不可见的字符', 'The username must not have characters that cannot be seen'),
  USERNAME_TAKEN: row(200, 409, '用户名已存在，或已注销', 'The username exists already, or was cancelled'),
  ACCOUNT_NAME_WRONG: row(200, 400, '账户名不正确！', 'The account name is not right!'),
  USER_LEVEL: row(200, 403, '无权操作同级或更高级别的用户', 'Users of the same or a higher level cannot be viewed or changed'),
  REASON_LENGTH: row(200, 400, '原因最多200个字符', 'The reason may have at most 200 characters'),
  USER_GROUP: row(200, 400, '分组不存在：{group}', 'There is no such group: {group}'),
  QUOTA_CHANGED: row(200, 409, '额度已变化，请刷新后重试', 'The quota has changed meanwhile, please reload and try again'),
  QUOTA_HELD: row(200, 409, '额度不能低于正在使用的预留额度', 'The quota cannot be set below what calls under way have reserved'),
  QUOTA_RANGE: row(200, 400, '额度超出范围', 'The quota is out of range'),
  DISPLAY_NAME_LENGTH: row(200, 400, '显示名称不能超过20个字符', 'The display name may have at most 20 characters'),
  REMARKS_LENGTH: row(200, 400, '备注不能超过255个字符', 'The remarks may have at most 255 characters'),
  PROMOTE_DENIED: row(200, 403, '普通管理员无法提升其他用户为管理员', 'A regular administrator cannot promote other users to administrator'),
  ROOT_PROTECTED: row(200, 403, '无法禁用、删除或降级超级管理员用户', 'A super admin cannot be disabled, deleted or demoted'),
  ALREADY_ADMIN: row(200, 409, '该用户已经是管理员', 'The user is an administrator already'),
  ALREADY_USER: row(200, 409, '该用户已经是普通用户', 'The user is an ordinary user already'),
} satisfies Record<string, Row>;
