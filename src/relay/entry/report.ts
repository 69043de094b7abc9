/** The end of every relayed request: its log line, its figures, and the memory of its body given back. */
import { requestId } from '../../core/ids.ts';
import { pathOf } from '../../core/url-path.ts';
import { countRequest } from '../../platform/request-figures.ts';
import type { RelayDeps } from '../deps.ts';
import type { CallEnd, Held } from '../request.ts';

export interface Report {
  readonly id: string;
  readonly ip: string;
  /** performance.now() */
  readonly startedAt: number;
  model: string | undefined;
  /** Who calls has proved it. */
  isKnown: boolean;
  /** Gives this back at the end, too. */
  hold(held: Held): void;
  /** All of it is given back only then, where that is later. `until` never rejects. */
  heldUntil(until: Promise<void>): void;
  /** The first call counts; later ones do nothing. */
  ended(end: CallEnd): void;
}

export function startReport(
  request: Request,
  ip: string,
  { log, metrics }: Pick<RelayDeps, 'log' | 'metrics'>,
): Report {
  const startedAt = performance.now();
  const id = requestId();
  const { method } = request;
  const path = pathOf(request.url);
  const held: Held[] = [];
  let isEnded = false;
  let written: Promise<void> | null = null;
  const release = () => {
    for (const each of held) each.release();
  };
  const report: Report = {
    id,
    ip,
    startedAt,
    model: undefined,
    isKnown: false,
    hold(more) {
      if (isEnded) more.release();
      else held.push(more);
    },
    heldUntil(until) {
      written = until;
    },
    ended(end) {
      if (isEnded) return;
      isEnded = true;
      if (written) void written.then(release);
      else release();
      const seconds = (performance.now() - startedAt) / 1000;
      // What is undefined does not appear in the line.
      log.request({
        method,
        path,
        status: end.status,
        ms: Math.round(seconds * 10_000) / 10,
        request_id: id,
        ip,
        model: report.model,
        code: end.code,
        user_id: end.userId,
        token_id: end.tokenId,
        channel_id: end.channelId,
        prompt_tokens: end.promptTokens,
        completion_tokens: end.completionTokens,
        quota: end.quota,
        stream_end: end.streamEnd,
        first_content_ms: end.firstContentMs === undefined ? undefined : Math.round(end.firstContentMs),
      });
      countRequest(metrics, 'relay', end.status, seconds);
    },
  };
  return report;
}
