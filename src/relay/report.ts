/** The end of every relayed request: its log line, its figures, and the memory of its body given back. */
import type { RequestContext } from '../http/context.ts';
import { countRequest } from '../platform/request-figures.ts';
import type { HeldBytes } from './body.ts';
import type { RelayDeps } from './deps.ts';
import type { CallEnd } from './request.ts';

export interface Report {
  readonly id: string;
  readonly ip: string;
  /** performance.now() */
  readonly startedAt: number;
  model: string | undefined;
  /** Gives this back at the end. */
  hold(held: HeldBytes): void;
  /** The first call counts; later ones do nothing. */
  ended(end: CallEnd): void;
}

export function startReport(
  request: Request,
  { requestId: id, clientIp: ip }: Pick<RequestContext, 'requestId' | 'clientIp'>,
  { log, metrics }: Pick<RelayDeps, 'log' | 'metrics'>,
): Report {
  const startedAt = performance.now();
  let held: HeldBytes | null = null;
  let isEnded = false;
  const report: Report = {
    id,
    ip,
    startedAt,
    model: undefined,
    hold(body) {
      held = body;
    },
    ended(end) {
      if (isEnded) return;
      isEnded = true;
      held?.release();
      const seconds = (performance.now() - startedAt) / 1000;
      const { method } = request;
      log.request({
        method,
        path: new URL(request.url).pathname,
        status: end.status,
        ms: Math.round(seconds * 10_000) / 10,
        request_id: id,
        ip,
        ...(report.model === undefined ? {} : { model: report.model }),
        ...lineOf(end),
      });
      countRequest(metrics, 'relay', end.status, seconds);
    },
  };
  return report;
}

const lineOf = (end: CallEnd) => ({
  ...(end.code === undefined ? {} : { code: end.code }),
  ...(end.userId === undefined ? {} : { user_id: end.userId }),
  ...(end.tokenId === undefined ? {} : { token_id: end.tokenId }),
  ...(end.channelId === undefined ? {} : { channel_id: end.channelId }),
  ...(end.promptTokens === undefined ? {} : { prompt_tokens: end.promptTokens }),
  ...(end.completionTokens === undefined ? {} : { completion_tokens: end.completionTokens }),
  ...(end.quota === undefined ? {} : { quota: end.quota }),
  ...(end.streamEnd === undefined ? {} : { stream_end: end.streamEnd }),
  ...(end.firstContentMs === undefined ? {} : { first_content_ms: Math.round(end.firstContentMs) }),
});
