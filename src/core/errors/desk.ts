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
} satisfies Record<string, Row>;
