/** What the calls of invitations and rewards take and answer. */
import { z } from 'zod';
import type { InvitationState, InvitationTrigger } from '../../core/invitations.ts';
import { pagingQuery } from '../../core/wire/paging.ts';

/** Quota units. Their rule refuses it, in the specification's words; the schema only says what it is. */
export const transferBody = z.object({ quota: z.number().nullish() });

export const invitedQuery = pagingQuery;

/** An invited user, as who invited him may see him. */
export interface InvitedItem {
  /** The first letters of his name; empty once his account is cancelled. */
  username: string;
  created_at: number;
  state: InvitationState;
  /** Null of who came before invitations were rewarded. */
  trigger: InvitationTrigger | null;
  /** What the inviter got for him, without what was taken back; quota units. */
  quota: number;
}

/** What the next guest is worth. */
export interface TermsView {
  trigger: InvitationTrigger;
  inviter_quota: number;
  invitee_quota: number;
  /** Guests for whom an inviter is rewarded in 24 hours; 0 for any number. */
  daily_limit: number;
}
