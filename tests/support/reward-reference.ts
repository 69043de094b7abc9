/** What invitations, activities and transfers must come to, said a second time, plainly and one step at a time. */
import type { InvitationTrigger } from '../../src/core/invitations.ts';

export interface Invitation {
  inviter: number;
  trigger: InvitationTrigger;
  forInviter: number;
  forInvitee: number;
  isOpen: boolean;
}

/** What an order's credit set off for who had invited its payer. */
interface Earned {
  host: Person;
  amount: number;
  taken: number;
}

interface Reversed {
  money: number;
  quota: number;
  /** What the payer and his host lost by it. */
  lost: number;
  reward: number;
  isWon: boolean;
}

/** A paid order of 100 cents. */
interface Order {
  payer: Person;
  quota: number;
  earned: Earned | null;
  /** Refunds under the empty name, and each dispute. */
  reversed: Map<string, Reversed>;
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
  readonly orders: Order[] = [];

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
    const payer = this.person(at);
    payer.quota += amount;
    const earned = this.happens(payer, 'first_topup');
    this.orders.push({ payer, quota: amount, earned, reversed: new Map() });
  }

  /** `all`: how many cents were given back by that name so far. Whether it took anything. */
  reverse(at: number, name: string, all: number): boolean {
    const { payer, quota, earned, reversed } = this.order(at);
    const known = reversed.get(name) ?? { money: 0, quota: 0, lost: 0, reward: 0, isWon: false };
    if (known.isWon) return false;
    const now = [...reversed.values()].filter(({ isWon }) => !isWon);
    const before = now.reduce((sum, { money }) => sum + money, 0);
    const taking = Math.min(all - known.money, 100 - before);
    if (taking <= 0) return false;
    const shareOf = (whole: number, money: number) => Math.floor((whole * money) / 100);
    const due = shareOf(quota, before + taking) - now.reduce((sum, each) => sum + each.quota, 0);
    const lost = Math.min(Math.max(due, 0), payer.quota);
    payer.quota -= lost;
    let reward = 0;
    if (earned) {
      const { host, amount, taken } = earned;
      const toHere = shareOf(amount, before + taking);
      reward = Math.max(0, Math.min(toHere - shareOf(amount, before), toHere - taken, host.aff));
      host.aff -= reward;
      earned.taken += reward;
    }
    reversed.set(name, {
      money: known.money + taking,
      quota: known.quota + Math.max(due, 0),
      lost: known.lost + lost,
      reward: known.reward + reward,
      isWon: false,
    });
    return true;
  }

  /** Whether it was news. */
  win(at: number, name: string): boolean {
    const { payer, earned, reversed } = this.order(at);
    const known = reversed.get(name) ?? { money: 0, quota: 0, lost: 0, reward: 0, isWon: false };
    if (known.isWon) return false;
    reversed.set(name, { ...known, isWon: true });
    payer.quota += known.lost;
    if (earned) {
      earned.host.aff += known.reward;
      earned.taken -= known.reward;
    }
    return true;
  }

  private order(at: number): Order {
    const order = this.orders[at];
    if (!order) throw new Error(`no order ${at}`);
    return order;
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

  private happens(guest: Person, trigger: InvitationTrigger): Earned | null {
    const { invitation } = guest;
    if (!invitation?.isOpen || invitation.trigger !== trigger) return null;
    invitation.isOpen = false;
    guest.quota += invitation.forInvitee;
    const host = this.person(invitation.inviter);
    const { limit } = this.settings;
    if (!host.isActive || invitation.forInviter === 0 || (limit > 0 && host.rewarded >= limit)) return null;
    host.aff += invitation.forInviter;
    host.affEver += invitation.forInviter;
    host.rewarded++;
    return { host, amount: invitation.forInviter, taken: 0 };
  }
}
