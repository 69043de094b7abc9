import { isObject } from '../../core/json.ts';
import { refusal } from '../vendor-operation.ts';

/** MiniMax tells most failures with status 200: what its codes stand for. */
export const STATUS: Readonly<Record<number, number>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1024: 500,
  1026: 400,
  1027: 400,
  1033: 500,
  1039: 429,
  2013: 400,
  2049: 401,
};

/** The failure that stands at the foot of an answer; null when there is none. */
export function readBase(body: unknown): { code: number; message: string } | null {
  const base = isObject(body) && isObject(body.base_resp) ? body.base_resp : null;
  if (!base || typeof base.status_code !== 'number' || base.status_code === 0) return null;
  return { code: base.status_code, message: typeof base.status_msg === 'string' ? base.status_msg : '' };
}

/** The same as an answer of the status that it stands for. */
export function refusalOf(body: unknown): Response {
  const base = readBase(body);
  if (!base) return refusal(502, { message: 'its answer is empty' });
  return refusal(STATUS[base.code] ?? 502, { message: base.message, code: String(base.code) });
}
