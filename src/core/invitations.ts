/** What calls and pages alike must know of invitations. */

/** What of an invited user pays his invitation. */
export const INVITATION_TRIGGERS = ['register', 'verified', 'first_topup', 'first_call'] as const;
export type InvitationTrigger = (typeof INVITATION_TRIGGERS)[number];

/**
 * How an invitation stands for who invited: it waits for its trigger, it was paid, some or all of that was taken back with
 * the payment that had set it off, or nothing is paid for it.
 */
export type InvitationState = 'waiting' | 'paid' | 'reduced' | 'taken_back' | 'unpaid';
