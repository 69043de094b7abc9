/** Refusals of any call of the console: who asks, what is asked for, and how the server is. */
import { type Row, row } from './row.ts';

const notSignedIn = row(401, 401, '未登录或登录已过期，请重新登录', 'Not logged in or login expired, please log in again');

export const calls = {
  AUTH_REQUIRED: notSignedIn,
  SESSION_EXPIRED: notSignedIn,
  USER_MISMATCH: row(401, 401, '当前登录的用户已改变，请刷新页面', 'Another user is signed in now, please reload the page'),
  ACCESS_TOKEN_INVALID: row(401, 401, '访问令牌无效', 'Invalid access token'),
  CROSS_SITE: row(403, 403, '拒绝来自其他站点的请求', 'Requests from another site are refused'),
  FORBIDDEN_ROLE: row(403, 403, '权限不足', 'Insufficient permissions'),
  BATCH_STOPPED: row(403, 403, '您的登录或权限已变更，操作已停止：共 {all} 项，已完成 {done} 项', 'Your sign-in or your rights have changed, so this has stopped: {done} of {all} are done'),
  DEMO_READONLY: row(405, 405, '本站仅作演示之用，无服务端', 'This site is for demonstration only'),
  NOT_FOUND: row(200, 404, '记录不存在', 'The record does not exist'),
  UNKNOWN_ROUTE: row(404, 404, '接口不存在', 'There is no such call'),
  BAD_PARAM: row(400, 400, '参数错误：{field}', 'Invalid parameter: {field}'),
  BAD_HOST: row(400, 400, '请求的主机名无效', 'The Host of the request is none'),
  OVERLOADED: row(503, 503, '服务繁忙，请稍后再试', 'The server is busy, please try again later'),
  STATUS_FAILED: row(503, 503, '加载系统状态失败', 'Failed to load status'),
  INTERNAL: row(500, 500, '服务器内部错误，请联系管理员', 'Internal server error, please contact the administrator'),
  FIELD_EMPTY: row(200, 400, '该字段不能为空', 'The field cannot be empty'),
  USER_DISABLED: row(401, 403, '用户已被封禁', 'The user is banned'),
} satisfies Record<string, Row>;
