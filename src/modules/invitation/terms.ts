/** What an invitation by a code is worth just now. */
import { count, eq } from 'drizzle-orm';
import type { InvitationTrigger } from '../../core/invitations.ts';
import { nowSec } from '../../core/time.ts';
import type { Executor } from '../../db/client.ts';
import { invitations } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';

export interface Terms {
  trigger: InvitationTrigger;
  /** Quota units for who invites, and for who is invited. */
  inviterQuota: number;
  inviteeQuota: number;
  /** The code, where it has terms of its own. */
  specialCode: string | null;
}

/** A code's own terms, until they have expired or were used as often as they may be; those of all codes else. */
export async function termsOf(executor: Executor, options: Options, code: string): Promise<Terms> {
  const usual: Terms = {
    trigger: options.get('aff_quota.reward_trigger'),
    inviterQuota: options.get('QuotaForInviter'),
    inviteeQuota: options.get('QuotaForInvitee'),
    specialCode: null,
  };
  const codes = options.get('aff_quota.codes');
  const own = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (!own || (own.expires !== undefined && own.expires <= nowSec())) return usual;
  if (own.limit !== undefined && (await usesOf(executor, code)) >= own.limit) return usual;
  return {
    ...usual,
    inviterQuota: own.inviter ?? usual.inviterQuota,
    inviteeQuota: own.invitee ?? usual.inviteeQuota,
    specialCode: code,
  };
}

async function usesOf(executor: Executor, code: string): Promise<number> {
  const [uses] = await executor
    .select({ n: count() })
    .from(invitations)
    .where(eq(invitations.special_code, code));
  return uses?.n ?? 0;
}
