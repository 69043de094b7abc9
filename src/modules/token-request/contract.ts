/** What the calls take and answer by which an application gets a relay key. */
import { z } from 'zod';
import { wireText } from '../../core/wire/text.ts';
import { rowId } from '../../core/wire/whole.ts';
import { APP_NAME_MAX } from './facts.ts';

const secret = wireText(100);

/** Known clients send nothing. */
export const askBody = z.object({
  /** As the application calls itself: shown to the user, and the name of a token that is made for it. */
  name: wireText(APP_NAME_MAX).nullish(),
});

export const statusQuery = z.object({ request_id: secret.optional() });

export const decideBody = z.object({
  code: secret,
  action: z.enum(['approve', 'reject']).nullish(),
  /** The id or the whole key of a token of the caller's; absent for a new one. */
  token: z.union([rowId, secret]).nullish(),
  /** Of the new token. */
  remain_quota: z.number().nullish(),
});

export type DecideBody = z.output<typeof decideBody>;

/** `expired` too for what there never was; `consumed` once the key was handed over. */
export type RequestStatus = 'pending' | 'approved' | 'rejected' | 'expired' | 'consumed';

export interface StatusAnswer {
  status: RequestStatus;
  /** Once, with `approved`: a relay key as clients send it. */
  secret_token?: string;
}

/** A request as the page shows it to who decides. */
export interface ShownRequest {
  /** Empty when the application does not say. */
  name: string;
  number: string;
  ip: string;
  /** Whether it came from the network of who looks at it. */
  same_network: boolean;
  browser: string;
  system: string;
  created_at: number;
  expires_at: number;
}
