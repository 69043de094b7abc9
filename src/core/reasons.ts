/**
 * Why something outside did not work, as it is kept: a code of ours, what fills its words, and apart from them what the
 * upstream said in its own. Whoever reads it later is told in his language.
 */
import { isObject, type JsonObject } from './json.ts';
import { asIs, filled, type Text } from './text.ts';

const words = {
  // No answer of any status.
  connect: { zh: '无法连接', en: 'no connection' },
  'connect-refused': { zh: '连接被拒绝', en: 'connection refused' },
  'no-host': { zh: '域名无法解析', en: 'no such host' },
  tls: { zh: 'TLS 握手失败', en: 'TLS failed' },
  proxy: { zh: '代理无法建立连接', en: 'its proxy opens no connection' },
  'connect-timeout': { zh: '连接超时', en: 'no connection in time' },
  refused: { zh: '其地址不允许访问', en: 'its address may not be called' },
  'no-key': { zh: '渠道没有密钥', en: 'the channel has no key' },
  'bad-headers': { zh: '其密钥或请求头无法发送', en: 'its key or headers cannot be sent' },
  unserved: { zh: '渠道不支持此类请求', en: 'the channel does not serve this kind of request' },
  'no-room': { zh: '内存中没有位置存放其回答', en: 'no room in memory for its answer' },
  'gave-way': {
    zh: '上游迟迟没有回答，其位置让给了其他调用',
    en: 'nothing came, and another call needed its place',
  },
  reset: { zh: '连接中断', en: 'connection lost' },
  timeout: { zh: '没有及时回答', en: 'no answer in time' },
  'no-http': { zh: '回答不是 HTTP', en: 'its answer is no HTTP' },
  encoding: { zh: '回答的编码与声明不符', en: 'its answer is not encoded as it says' },
  malformed: { zh: '回答格式错误', en: 'malformed answer' },
  empty: { zh: '回答为空', en: 'empty answer' },
  'broke-off': { zh: '回答中断', en: 'its stream broke off' },
  // What the upstream said itself.
  said: { zh: '上游的回答：“{said}”', en: '{said}' },
  answered: { zh: '上游返回 {status}：“{said}”', en: '{status}: {said}' },
  coded: { zh: '上游返回 {status}（{name}）：“{said}”', en: '{status} {name}: {said}' },
  // What the gateway found.
  again: { zh: '连续失败：{because}', en: 'fails again and again: {because}' },
  slow: { zh: '响应过慢：{seconds} 秒', en: 'too slow: {seconds} s' },
  'slow-test': { zh: '测试用时过长', en: 'its test took too long' },
  'no-balance': { zh: '余额不足', en: 'insufficient balance' },
  expired: { zh: '已过期', en: 'expired' },
  untested: { zh: '图片和音频模型不作测试', en: 'models for pictures and sound are not tested' },
  gateway: { zh: '网关自身出错', en: 'the gateway failed' },
} as const satisfies Record<string, Text>;

export type ReasonCode = keyof typeof words;

export interface Reason {
  readonly code: ReasonCode;
  /** A status, a time, a name that the upstream gave: what is alike in every language. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** The upstream's own words, cleaned. */
  readonly said?: string;
  /** What is known besides: the name of a fault. */
  readonly detail?: string;
  readonly because?: Reason;
}

/** In words of both languages. */
export function reasonText({ code, values = {}, said = '', detail, because }: Reason): Text {
  const named = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : asIs(value),
  ]);
  const { zh, en } = filled(words[code], {
    ...Object.fromEntries(named),
    said: asIs(said),
    ...(because && { because: reasonText(because) }),
  });
  return detail ? { zh: `${zh}（${detail}）`, en: `${en} (${detail})` } : { zh, en };
}

/** As it is kept in a JSON column. */
export const keptReason = ({ because, values, ...reason }: Reason): JsonObject => ({
  ...reason,
  ...(values && { values: { ...values } }),
  ...(because && { because: keptReason(because) }),
});

const isCode = (value: unknown): value is ReasonCode =>
  typeof value === 'string' && Object.hasOwn(words, value);

/** What was kept; null for anything else. */
export function readReason(kept: unknown): Reason | null {
  if (!isObject(kept) || !isCode(kept.code)) return null;
  const values = isObject(kept.values) ? kept.values : {};
  const because = readReason(kept.because);
  return {
    code: kept.code,
    values: Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
      ),
    ),
    ...(typeof kept.said === 'string' && { said: kept.said }),
    ...(typeof kept.detail === 'string' && { detail: kept.detail }),
    ...(because && { because }),
  };
}
