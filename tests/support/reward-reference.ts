/** What invitations, activities and transfers must come to, said a second time, plainly and one step at a time. */
import type { InvitationTrigger } from '../../src/core/invitations.ts';

export interface Invitation {
  inviter: number;
  trigger: InvitationTrigger;
  forInviter: number;
  forInvitee: number;
  isOpen: boolean;
}

/** What an order's credit set off: the reward of who had invited its payer, or the gift of the payer himself. */
interface Earned {
  person: Person;
  balance: 'aff' | 'quota';
  amount: number;
  taken: number;
}

/** A paid order of 100 cents. */
interface Order {
  payer: Person;
  quota: number;
  earned: Earned[];
  /** The most that was told of refunds under the empty name, and of each dispute, in cents. */
  told: Map<string, number>;
  won: Set<string>;
  /** What its payer has lost by it, and what was not there any more. */
  lost: { taken: number; writtenOff: number };
}

/** Cents of its payment that are gone. */
const goneOf = ({ told, won }: Order): number =>
  Math.min(
    100,
    [...told].reduce((sum, [name, cents]) => (won.has(name) ? sum : sum + cents), 0),
  );
const shareOf = (whole: number, cents: number): number => Math.floor((whole * cents) / 100);

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
    const lost = { taken: 0, writtenOff: 0 };
    this.orders.push({ payer, quota: amount, earned, told: new Map(), won: new Set(), lost });
  }

  /** `all`: how many cents were given back by that name so far. Whether that is news. */
  reverse(at: number, name: string, all: number): boolean {
    const order = this.order(at);
    if (order.won.has(name) || all <= (order.told.get(name) ?? 0)) return false;
    const before = goneOf(order);
    order.told.set(name, all);
    const { payer, quota, earned, lost } = order;
    const gone = goneOf(order);
    const due = shareOf(quota, gone) - lost.taken - lost.writtenOff;
    const taken = Math.min(due, payer.quota);
    payer.quota -= taken;
    lost.taken += taken;
    lost.writtenOff += due - taken;
    for (const each of earned) {
      const share = shareOf(each.amount, gone);
      const due = Math.min(share - shareOf(each.amount, before), share - each.taken);
      const back = Math.max(0, Math.min(due, each.person[each.balance]));
      each.person[each.balance] -= back;
      each.taken += back;
    }
    return true;
  }

  /** Whether it was news. */
  win(at: number, name: string): boolean {
    const order = this.order(at);
    if (order.won.has(name)) return false;
    order.won.add(name);
    const { payer, quota, earned, lost } = order;
    const back = lost.taken + lost.writtenOff - shareOf(quota, goneOf(order));
    const forgiven = Math.min(back, lost.writtenOff);
    lost.writtenOff -= forgiven;
    lost.taken -= back - forgiven;
    payer.quota += back - forgiven;
    for (const each of earned) {
      const again = Math.max(0, each.taken - shareOf(each.amount, goneOf(order)));
      each.person[each.balance] += again;
      each.taken -= again;
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

  private happens(guest: Person, trigger: InvitationTrigger): Earned[] {
    const { invitation } = guest;
    if (!invitation?.isOpen || invitation.trigger !== trigger) return [];
    invitation.isOpen = false;
    guest.quota += invitation.forInvitee;
    const gift: Earned = { person: guest, balance: 'quota', amount: invitation.forInvitee, taken: 0 };
    const host = this.person(invitation.inviter);
    const { limit } = this.settings;
    if (!host.isActive || invitation.forInviter === 0 || (limit > 0 && host.rewarded >= limit)) return [gift];
    host.aff += invitation.forInviter;
    host.affEver += invitation.forInviter;
    host.rewarded++;
    return [{ person: host, balance: 'aff', amount: invitation.forInviter, taken: 0 }, gift];
  }
}
