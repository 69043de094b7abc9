/**
 * A user's webhook. What arrives there is a POST of JSON:
 *
 *     { type, title, content, values, timestamp, user_id, quota, threshold }
 *
 * `type` is `quota_exceed` (the balance fell below the threshold) or `test`; `title` and `content` are in the user's
 * language; `values` is empty and kept for receivers of other gateways of this family; `timestamp` in unix seconds;
 * `quota` what is left and `threshold` what it fell below, in quota units.
 *
 * Headers: with a secret `Authorization: Bearer SECRET`,
 * `X-Webhook-Timestamp` with the body's timestamp, and `X-Webhook-Signature`: HMAC-SHA256, in hex, keyed with the
 * secret, of the timestamp, a full stop and the body's bytes. Any status from 200 to 299 is a receipt.
 */
import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { shareOfUser } from '../../core/share.ts';
import { nowSec } from '../../core/time.ts';
import { turnOfWork } from '../../platform/on-behalf.ts';
import type { Outgoing } from '../../platform/outgoing.ts';

/** It answered, but not that it has taken the notice. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  constructor(readonly status: number) {
    super(`status ${status}`);
  }
}

export interface WebhookCall {
  /** Whose it is. */
  userId: number;
  url: string;
  /** Empty for none; then nothing is signed. */
  secret: string;
  body: JsonObject;
}

/** Rejects with OutgoingError or WebhookError. What the other side answers is read by nobody. */
export async function postWebhook(
  outgoing: Outgoing,
  { userId, url, secret, body }: WebhookCall,
): Promise<void> {
  const timestamp = nowSec();
  const text = JSON.stringify({ ...body, timestamp });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (secret !== '') {
    headers.authorization = `Bearer ${secret}`;
    headers['x-webhook-timestamp'] = String(timestamp);
    headers['x-webhook-signature'] = createHmac('sha256', secret)
      .update(`${timestamp}.${text}`)
      .digest('hex');
  }
  const { status } = await outgoing.call(url, {
    method: 'POST',
    headers,
    body: text,
    httpsOnly: true,
    // He tries it from where he is; warnings go out for whom nobody knows where he is, all as one network.
    asker: { who: shareOfUser(userId), network: turnOfWork()?.network ?? 'warnings' },
    // A redirect would take the secret, and the user's address, to where he did not send them.
    redirectsMax: 0,
    timeoutMs: limits.webhookMs,
    maxBytes: limits.webhookAnswerBytes,
  });
  if (status < 200 || status > 299) throw new WebhookError(status);
}
