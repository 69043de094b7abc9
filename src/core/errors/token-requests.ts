/** Applications that ask for a relay key. */
import { type Row, row } from './row.ts';

export const tokenRequests = {
  TOKEN_REQUEST_OVER: row(200, 404, '授权请求不存在或已过期，请在应用中重新发起', 'This request does not exist or has expired: start again in the application'),
  TOKEN_REQUEST_DECIDED: row(200, 409, '该授权请求已被处理', 'This request was decided on already'),
  TOKEN_REQUEST_SESSION: row(200, 403, '请在浏览器中登录后授权', 'Sign in in a browser to decide on this request'),
  TOKEN_REQUEST_TOKEN: row(200, 400, '该令牌不可用，请选择其他令牌', 'This token cannot be used, please choose another one'),
} satisfies Record<string, Row>;
