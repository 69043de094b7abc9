/** What operators serve to companion clients. */
import { type Row, row } from './row.ts';

export const desk = {
  DESK_FULL: row(200, 409, '最多保存 {most} 条，请先删除不用的', 'At most {most} can be kept: delete what is not used any more'),
  PROMPT_INSTRUCTION: row(200, 400, '请输入指令，最多10000个字符', 'The instruction needs 1 to 10,000 characters'),
  PROMPT_TITLE: row(200, 400, '标题最多100个字符', 'The title may have at most 100 characters'),
  PROMPT_VERSION: row(200, 400, '客户端版本格式不正确，例如 1.2.0', 'The client version is not valid; 1.2.0 is one'),
  PROMPT_SORT: row(200, 400, '排序必须是整数', 'The sort must be a whole number'),
  PROMPT_FACET: row(200, 400, '示例文件路径格式不正确，例如 demo/report.xlsx', 'The demo path is not valid; demo/report.xlsx is one'),
  PROMPT_LINK: row(200, 400, '结果链接必须以 http:// 或 https:// 开头', 'The result link must begin with http:// or https://'),
  AI_ROLE_NAME: row(200, 400, '请输入角色名称，最多100个字符', 'The role name needs 1 to 100 characters'),
  AI_ROLE_NEEDED: row(200, 400, '请输入角色内容', 'Please enter the role'),
  AI_ROLE_FORMAT: row(200, 400, '角色格式不正确', 'The role is not in the right format'),
  AI_ROLE_SIZE: row(200, 400, '角色内容不能超过64KB', 'The role may have at most 64 KB'),
  AI_ROLE_QUOTA: row(200, 400, '额度必须是非负整数', 'The quota must be a whole number, 0 or more'),
  APP_NAME_NEEDED: row(200, 400, '应用名称不能为空', 'Application name cannot be empty'),
  APP_NAME: row(200, 400, '应用名称只能包含小写字母、数字、_ 和 -，以字母或数字开头，2到64个字符', 'The application name needs 2 to 64 lower-case letters, digits, _ and -, and begins with a letter or digit'),
  APP_NAME_TAKEN: row(200, 409, '应用名称已存在', 'There is an application of this name already'),
  APP_DISPLAY_NAME_NEEDED: row(200, 400, '显示名称不能为空', 'Display name cannot be empty'),
  APP_DISPLAY_NAME: row(200, 400, '显示名称最多100个字符', 'The display name may have at most 100 characters'),
  APP_VERSION_NEEDED: row(200, 400, '版本不能为空', 'Version cannot be empty'),
  APP_VERSION: row(200, 400, '版本格式不正确，例如 1.0.0', 'The version is not valid; 1.0.0 is one'),
  APP_DXT_NEEDED: row(200, 400, 'DXT地址不能为空', 'DXT address cannot be empty'),
  APP_DXT: row(200, 400, 'DXT地址必须以 http:// 或 https:// 开头', 'The DXT address must begin with http:// or https://'),
  APP_HOMEPAGE: row(200, 400, '主页必须以 http:// 或 https:// 开头', 'The homepage must begin with http:// or https://'),
  APP_DESC: row(200, 400, '描述最多2000个字符', 'The description may have at most 2,000 characters'),
  APP_NONE_CHOSEN: row(200, 400, '请选择要删除的应用', 'Choose the applications to delete'),
} satisfies Record<string, Row>;
