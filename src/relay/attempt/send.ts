/** Sends a prepared request over HTTP, and reads answers that are read whole. */
import { limits } from '../../core/limits.ts';
import { allTokens, completionTokens, type Usage } from '../../core/usage.ts';
import { NOTHING_PRODUCED } from '../../dialects/produced.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { Finished } from '../../providers/provider.ts';
import type { PlainAnswer } from '../answer/answers.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import type { Route } from './aim.ts';
import { type Failure, failureOfStatus } from './outcome.ts';
import { answerTo, hiddenOf, type Prepared } from './prepared.ts';
import { asker } from './vendor.ts';

/** The answer of any status. Rejects as the dialer does. */
export async function send(
  { upstream, form, finish, candidate }: Prepared,
  { request, ...route }: Pick<Route, 'connectMs' | 'signal' | 'goesUp'> & { request: RelayRequest },
  { dialer, retries }: Pick<RelayDeps, 'dialer' | 'retries'>,
): Promise<Finished> {
  const to = { ...route, channel: candidate.channel };
  const body = form && (() => form.body());
  const mayAskAgain = () => retries.of(request.userId).spend();
  const response = await dialer.open(upstream, { ...to, body, mayAskAgain });
  failpoint('upstream_headers');
  if (!finish || !response.ok) return response;
  return finish(response, asker(upstream, to, { dialer }));
}

/** `grow` is told of the bytes as they come, and may throw. */
export async function readWhole(
  response: Response,
  most: number,
  { dialer }: Pick<RelayDeps, 'dialer'>,
  grow?: (bytes: number) => void,
): Promise<string> {
  const text = await readBounded(response, most, grow);
  dialer.wasRead(response);
  return text;
}

/** The failure that an answer of an error status means, with what its vendor told of it where he had answered well. */
export async function failureOf(response: Finished, prepared: Prepared, deps: RelayDeps): Promise<Failure> {
  const text = await readWhole(response, limits.upstreamErrorBytes, deps).catch(() => '');
  const retryAfter = response.headers.get('retry-after');
  const failure = failureOfStatus(response.status, text, prepared.provider, retryAfter, hiddenOf(prepared));
  const { usage } = response;
  return usage && allTokens(usage) > 0 ? { ...failure, came: toldAlone(usage, prepared) } : failure;
}

/** An answer that holds nothing of what was asked for. At a price a call it is due where anything was written. */
const toldAlone = (usage: Usage, prepared: Prepared): PlainAnswer => ({
  kind: 'plain',
  facts: {
    usage,
    error: null,
    produced: () => NOTHING_PRODUCED,
    due: () => (completionTokens(usage) > 0 ? 1 : 0),
    finishReason: null,
  },
  text: '',
  contentType: 'application/json',
  ...answerTo(prepared),
});
