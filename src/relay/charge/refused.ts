/** Calls that were refused for lack of quota, as the log of their user tells of them. */
import type { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { writeLog } from '../../modules/log/service.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { NO_TOKEN } from '../../modules/token/state.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';

/**
 * Writes a row for the first such call of a token in a while: whoever looks why nothing works any more finds the reason
 * there, and a client that tries again and again writes no more. The caller is told the same whether it works or not.
 */
export async function noteRefusal(
  { id, ip, facts }: RelayRequest,
  { userId, username, tokenId, tokenName, group }: Caller,
  error: AppError,
  { db, limiter, log }: Pick<RelayDeps, 'db' | 'limiter' | 'log'>,
): Promise<void> {
  const who = tokenId === NO_TOKEN ? `user:${userId}` : tokenId;
  try {
    const key = `refused:${error.code}:${who}`;
    if (!(await limiter.take({ key, limit: 1, windowSec: limits.refusalNotedSec })).ok) return;
    await writeLog(db.orm, {
      type: 'system',
      user: { id: userId, username, group },
      text: { zh: error.text('zh'), en: error.text('en') },
      modelName: facts.model,
      tokenName,
      requestId: id,
      isStream: facts.stream,
      ip,
      other: { error: error.code, status: error.relayStatus },
    });
  } catch (reason) {
    log.warn('relay.refusal', { request_id: id, error: reason });
  }
}
