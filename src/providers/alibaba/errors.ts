/** DashScope's own words for failures, which its calls beside chat answer with. */
import { isObject } from '../../core/json.ts';
import type { WireError } from '../vendor-wire.ts';

/** Codes for a key that is finished. */
export const DEAD_CODES: ReadonlySet<string> = new Set([
  'InvalidApiKey',
  'Arrearage',
  'AccessDenied.Unpurchased',
]);

function statusOf(code: string): number {
  if (DEAD_CODES.has(code)) return 401;
  if (code.startsWith('Throttling')) return 429;
  if (/^(InvalidParameter|DataInspectionFailed|BadRequest)/.test(code)) return 400;
  return 502;
}

/** The error of an answer of any status; null where it holds none. */
export function alibabaError(body: unknown): WireError | null {
  if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string') return null;
  if (body.code === '') return null;
  return {
    error: { message: body.message, type: 'ali_error', code: body.code },
    status: statusOf(body.code),
  };
}
