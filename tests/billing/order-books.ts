/**
 * Orders as a reference keeps them: their states, what they add, and the money that was given back. What is gone follows
 * from the sums that were told, whatever came first.
 */
import { nowSec } from '../../src/core/time.ts';
import type { Account } from './books.ts';

const UNPAID = ['pending', 'expired', 'failed'];
/** Seconds for which an order is open. */
const OPEN_SEC = 1_800;
/** Unpaid orders of an account that are this young, at most. */
const OPEN_MOST = 20;
/** Seconds for which a price is kept beyond that. */
const LATE_SEC = 900;
const DOLLAR = 500_000;

export class Order {
  status = 'pending';
  readonly createdAt = nowSec();
  /** Paid late, when the use of its code was gone. */
  lapsed = false;
  /** Paid so late that it cost what it would have cost on that day. */
  isRepriced = false;
  isCredited = false;
  /** An administrator has settled that it is not credited by itself. */
  isVoided = false;
  /** Its provider has said of a voided one that it was paid. */
  isPaidVoided = false;
  /** The most that was ever told of its refunds, and of each dispute by its name, in the smallest unit of its currency. */
  refunds = 0;
  readonly disputes = new Map<string, number>();
  readonly won = new Set<string>();
  /** What stands of its quota: taken from the account, and not there any more when it was to be taken. */
  readonly lost = { taken: 0, writtenOff: 0 };

  constructor(
    readonly id: number,
    readonly tradeNo: string,
    readonly account: Account,
    public quota: number,
    readonly money: number,
    readonly discount: { code: string; fullMoney: number } | null,
    readonly provider: 'epay' | 'stripe' = 'epay',
  ) {}

  get isUnpaid(): boolean {
    return UNPAID.includes(this.status);
  }

  get isPaid(): boolean {
    return this.isCredited || this.isPaidVoided;
  }

  /** The money that is gone, whoever has it, and the same share of the quota that it bought. */
  get reversed(): { money: number; quota: number } {
    const open = [...this.disputes].filter(([name]) => !this.won.has(name));
    const told = open.reduce((sum, [, money]) => sum + money, this.refunds);
    const money = Math.min(told, this.money);
    return { money, quota: this.isCredited ? Math.floor((this.quota * money) / this.money) : 0 };
  }

  /** `all`: how much was given back so far. Whether that is news. */
  refund(all: number): boolean {
    if (all <= this.refunds) return false;
    this.refunds = all;
    this.#settle();
    return true;
  }

  dispute(name: string, all: number): void {
    if (this.won.has(name)) return;
    this.disputes.set(name, Math.max(all, this.disputes.get(name) ?? 0));
    this.#settle();
  }

  win(name: string): void {
    this.won.add(name);
    this.#settle();
  }

  credit(): void {
    this.isCredited = true;
    this.account.move('topUp', this.quota, nowSec());
    this.#settle();
  }

  void(): void {
    this.isVoided = true;
    this.status = 'voided';
  }

  /** The account has lost what is gone, no more and no less; what comes back was never written off first of all. */
  #settle(): void {
    if (!this.isCredited) return;
    this.status = this.#state();
    const { lost, account } = this;
    const more = this.reversed.quota - lost.taken - lost.writtenOff;
    if (more > 0) {
      const { taken, writtenOff } = account.takeBack(more, nowSec());
      lost.taken += taken;
      lost.writtenOff += writtenOff;
    }
    const forgiven = Math.min(-more, lost.writtenOff);
    if (forgiven > 0) {
      lost.writtenOff -= forgiven;
      account.move('writeOff', 0, nowSec());
    }
    const given = -more - Math.max(forgiven, 0);
    if (more < 0 && given > 0) {
      lost.taken -= given;
      account.move('reinstated', given, nowSec());
    }
  }

  #state(): string {
    if ([...this.disputes.keys()].some((name) => !this.won.has(name))) return 'disputed';
    if (this.refunds > 0) return 'refunded';
    return this.disputes.size > 0 ? 'reinstated' : 'success';
  }
}

export class OrderBook {
  readonly orders: Order[] = [];
  /** What a dollar costs now, in cents. */
  readonly prices = { epay: 730, stripe: 100 };

  constructor(
    /** How often each code may be used. */
    readonly uses: Readonly<Record<string, number>>,
  ) {}

  /** Marks what nobody paid in time, of all orders or of one code's. */
  expire(code?: string): void {
    for (const order of this.orders) {
      const isMeant = code === undefined || order.discount?.code === code;
      if (isMeant && order.status === 'pending' && order.createdAt + OPEN_SEC <= nowSec())
        order.status = 'expired';
    }
  }

  #hasUse(code: string): boolean {
    const used = this.orders.filter(
      ({ discount, lapsed, status }) =>
        discount?.code === code && !lapsed && !['expired', 'failed', 'voided'].includes(status),
    );
    return used.length < (this.uses[code] ?? 0);
  }

  /** Whether another order may be made. */
  mayOrder(account: Account, code?: string): boolean {
    const young = this.orders.filter(
      (order) =>
        order.account === account &&
        (order.isUnpaid || order.status === 'voided') &&
        order.createdAt + OPEN_SEC > nowSec(),
    );
    if (young.length >= OPEN_MOST) return false;
    if (code === undefined) return true;
    this.expire(code);
    return this.#hasUse(code);
  }

  /** Whether it adds its quota now; it does so once, and a voided one by hand alone, while something is left of its payment. */
  credit(order: Order, byHand = false): boolean {
    if (byHand && order.reversed.money === order.money) return false;
    if (!order.isUnpaid && !(byHand && order.status === 'voided')) {
      if (order.status === 'voided') order.isPaidVoided = true;
      return false;
    }
    const { discount, quota, money } = order;
    const isCut = discount !== null && (order.status === 'pending' || this.#hasUse(discount.code));
    const promised = discount && !isCut ? discount.fullMoney : money;
    const ratio = isCut ? 0.5 : 1;
    const now = Math.max(1, Math.round((quota * this.prices[order.provider] * ratio) / DOLLAR));
    const asked = order.createdAt + OPEN_SEC + LATE_SEC < nowSec() ? now : promised;
    if (asked > money) {
      order.lapsed = discount !== null && !isCut;
      order.isRepriced = asked > promised;
      order.quota = Math.max(1, Math.floor((quota * money) / asked));
    }
    order.credit();
    return true;
  }
}
