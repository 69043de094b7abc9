/** What invitations, activities and transfers must come to, said a second time, plainly and one step at a time. */
import type { InvitationTrigger } from '../../src/core/invitations.ts';

export interface Invitation {
  inviter: number;
  trigger: InvitationTrigger;
  forInviter: number;
  forInvitee: number;
  isOpen: boolean;
}

export interface Person {
  quota: number;
  used: number;
  aff: number;
  affEver: number;
  activity: number;
  activityEver: number;
  guests: number;
  /** Rewards for guests so far. */
  rewarded: number;
  isActive: boolean;
  isDeleted: boolean;
  invitation: Invitation | null;
  /** Activities that have rewarded him. */
  joined: Set<number>;
}

export interface Settings {
  trigger: InvitationTrigger;
  forNewUser: number;
  forInviter: number;
  forInvitee: number;
  /** Of an inviter's rewards in a day; 0 for none. */
  limit: number;
}

export class RewardReference {
  readonly people: Person[] = [];

  constructor(public settings: Settings) {}

  register(inviter: number | null, isVerified: boolean): void {
    const host = inviter === null ? undefined : this.person(inviter);
    const { trigger, forNewUser, forInviter, forInvitee } = this.settings;
    const isInvited = inviter !== null && host !== undefined && !host.isDeleted;
    const person: Person = {
      quota: forNewUser,
      used: 0,
      aff: 0,
      affEver: 0,
      activity: 0,
      activityEver: 0,
      guests: 0,
      rewarded: 0,
      isActive: true,
      isDeleted: false,
      invitation: isInvited ? { inviter, trigger, forInviter, forInvitee, isOpen: true } : null,
      joined: new Set(),
    };
    this.people.push(person);
    if (isInvited) host.guests++;
    this.happens(person, 'register');
    if (isVerified) this.happens(person, 'verified');
  }

  topUp(at: number, amount: number): void {
    const person = this.person(at);
    person.quota += amount;
    this.happens(person, 'first_topup');
  }

  verify(at: number): void {
    this.happens(this.person(at), 'verified');
  }

  call(at: number, charge: number): void {
    const person = this.person(at);
    person.quota -= charge;
    person.used += charge;
    if (person.used > 0) this.happens(person, 'first_call');
  }

  /** Whether he was rewarded. */
  reward(at: number, activity: number, amount: number): boolean {
    const person = this.person(at);
    if (person.joined.has(activity)) return false;
    person.joined.add(activity);
    person.activity += amount;
    person.activityEver += amount;
    return true;
  }

  /** Whether there was so much. */
  transfer(at: number, amount: number): boolean {
    const person = this.person(at);
    if (amount < 1 || amount > person.aff + person.activity) return false;
    const fromInvitations = Math.min(amount, person.aff);
    person.aff -= fromInvitations;
    person.activity -= amount - fromInvitations;
    person.quota += amount;
    return true;
  }

  person(at: number): Person {
    const person = this.people[at];
    if (!person) throw new Error(`no person ${at}`);
    return person;
  }

  private happens(guest: Person, trigger: InvitationTrigger): void {
    const { invitation } = guest;
    if (!invitation?.isOpen || invitation.trigger !== trigger) return;
    invitation.isOpen = false;
    guest.quota += invitation.forInvitee;
    const host = this.person(invitation.inviter);
    const { limit } = this.settings;
    if (!host.isActive || invitation.forInviter === 0 || (limit > 0 && host.rewarded >= limit)) return;
    host.aff += invitation.forInviter;
    host.affEver += invitation.forInviter;
    host.rewarded++;
  }
}
