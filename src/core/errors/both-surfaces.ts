/** What the console and the relay refuse in the same words. Each surface has its own code for it. */
import { type Row, row } from './row.ts';

const bodyTooLarge = row(413, 413, '请求内容过大', 'The request body is too large');
const bodyTimeout = row(408, 408, '读取请求超时', 'The request body did not arrive in time');
const bodyEncoding = row(415, 415, '不支持压缩的请求内容', 'Compressed request bodies are not supported');
const rateLimit = row(429, 429, '请求次数过多，请稍后再试', 'Too many requests, please try again later');
const unavailable = row(503, 503, '服务暂时不可用，请稍后再试', 'The service is temporarily unavailable, please try again later');
const stopping = row(503, 503, '服务正在重启，请稍后再试', 'The server is restarting, please try again');

export const bothSurfaces = {
  BODY_TOO_LARGE: bodyTooLarge,
  body_too_large: bodyTooLarge,
  BODY_TIMEOUT: bodyTimeout,
  body_timeout: bodyTimeout,
  BODY_ENCODING: bodyEncoding,
  body_encoding: bodyEncoding,
  RATE_LIMIT: rateLimit,
  rate_limit_exceeded: rateLimit,
  UNAVAILABLE: unavailable,
  unavailable: unavailable,
  STOPPING: stopping,
  stopping: stopping,
} satisfies Record<string, Row>;
