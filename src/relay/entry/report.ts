/** The end of every relayed request: its log line, its figures, and the memory of its body given back. */
import { requestId } from '../../core/ids.ts';
import { pathOf } from '../../core/url-path.ts';
import { appRecord } from '../../modules/log/facts.ts';
import type { FailedCall } from '../../modules/log/failures.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { countRequest } from '../../platform/request-figures.ts';
import type { RelayDeps } from '../deps.ts';
import type { CallEnd, Held } from '../request.ts';

export interface Report {
  readonly id: string;
  readonly ip: string;
  /** performance.now() */
  readonly startedAt: number;
  model: string | undefined;
  isStream: boolean;
  /** Set as soon as it is known who calls, also where he is not let in. */
  caller: Caller | undefined;
  /** Who calls has proved it, and is let in. */
  isKnown: boolean;
  /** Gives this back at the end, too. */
  hold(held: Held): void;
  /** Does this when nothing goes up any more; not at all where the call ends before. */
  whenSent(work: () => void): void;
  /** Nothing goes up any more. */
  sent(): void;
  /** All of it is given back only then, where that is later. `until` never rejects. */
  heldUntil(until: Promise<void>): void;
  /** The first call counts; later ones do nothing. */
  ended(end: CallEnd): void;
}

export function startReport(
  request: Request,
  ip: string,
  { log, metrics, failures, channels }: Pick<RelayDeps, 'log' | 'metrics' | 'failures' | 'channels'>,
): Report {
  const startedAt = performance.now();
  const id = requestId();
  const { method } = request;
  const path = pathOf(request.url);
  const held: Held[] = [];
  let toSend: (() => void)[] = [];
  let isEnded = false;
  let isReleased = false;
  let written: Promise<void> | null = null;
  const release = () => {
    isReleased = true;
    for (const each of held) each.release();
  };
  const report: Report = {
    id,
    ip,
    startedAt,
    model: undefined,
    isStream: false,
    caller: undefined,
    isKnown: false,
    hold(more) {
      if (isReleased) more.release();
      else held.push(more);
    },
    whenSent(work) {
      toSend.push(work);
    },
    sent() {
      const works = toSend;
      toSend = [];
      for (const work of works) work();
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
        own_key_at: end.supplier,
        prompt_tokens: end.promptTokens,
        completion_tokens: end.completionTokens,
        quota: end.quota,
        stream_end: end.streamEnd,
        first_content_ms: end.firstContentMs === undefined ? undefined : Math.round(end.firstContentMs),
      });
      countRequest(metrics, 'relay', end.status, seconds);
      if (end.failure && report.caller)
        failures.add(failedCall(report.caller, report, end.failure, end, channels));
    },
  };
  return report;
}

/** What the log of its user tells of a call that came to nothing. */
function failedCall(
  caller: Caller,
  { id, ip, startedAt, model = '', isStream }: Report,
  { error, adminInfo }: NonNullable<CallEnd['failure']>,
  { status, code = error.code, channelId = 0, supplier, streamEnd }: CallEnd,
  channels: Pick<RelayDeps['channels'], 'knows'>,
): FailedCall {
  const { userId, username, tokenId, tokenName, group } = caller;
  return {
    requestId: id,
    userId,
    username,
    tokenId,
    tokenName,
    group,
    model,
    isKnownModel: channels.knows(model),
    channelId,
    code: error.code,
    // The log shows its reader's; the caller was told in English.
    text: { zh: error.text('zh'), en: error.text('en') },
    isStream,
    useTimeSec: Math.round((performance.now() - startedAt) / 1000),
    ip,
    other: {
      error: code,
      // An upstream's code may be any word; what can be done hangs on ours.
      ...(code === error.code ? {} : { reason: error.code }),
      status,
      ...(streamEnd ? { stream_end: streamEnd } : {}),
      ...(supplier === undefined ? {} : { byok: true, supplier }),
      ...appRecord(caller),
      ...(adminInfo ? { admin_info: adminInfo } : {}),
    },
  };
}
