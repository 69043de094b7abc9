/**
 * Orders as a reference keeps them: their states, what they add, and the money that was given back. What is gone follows
 * from the sums that were told, whatever came first.
 */
import { QUOTA_MAX } from '../../src/core/price-formula.ts';
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
  /** What was told of its refunds, in the smallest unit of its currency and when: their sum, without those failed by then. */
  readonly #refunds: { all: number; at: number }[] = [];
  /** Refunds that did not reach the payer, by their names. */
  readonly #failed = new Map<string, { money: number; at: number }>();
  /** The most that was ever told of each dispute by its name. */
  readonly disputes = new Map<string, number>();
  readonly won = new Set<string>();
  /** Disputes that were won when the account had no room for what they had taken. */
  readonly #owed = new Set<string>();
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

  /** What refunds came to: all that there ever were, as far as is known, and less what failed. */
  get refunds(): number {
    const failed = [...this.#failed.values()];
    const sum = (some: typeof failed) => some.reduce((total, { money }) => total + money, 0);
    const ever = this.#refunds.map(({ all, at }) => all + sum(failed.filter((each) => each.at < at)));
    return Math.max(0, Math.max(0, ...ever) - sum(failed));
  }

  /** The money that is gone, whoever has it, and the same share of the quota that it bought. */
  get reversed(): { money: number; quota: number } {
    const open = [...this.disputes].filter(([name]) => !this.won.has(name));
    const told = open.reduce((sum, [, money]) => sum + money, this.refunds);
    const money = Math.min(told, this.money);
    return { money, quota: this.isCredited ? Math.floor((this.quota * money) / this.money) : 0 };
  }

  /** `all`: how much was given back so far. Whether that is news. */
  refund(all: number, isByHand = false): boolean {
    const before = this.refunds;
    this.#refunds.push({ all, at: nowSec() });
    const isNews = this.refunds > before;
    if (!isNews && isByHand) this.#refunds.pop();
    this.#settle();
    return isNews;
  }

  failRefund(name: string, money: number): void {
    if (this.#failed.has(name)) return;
    this.#failed.set(name, { money, at: nowSec() });
    this.#settle();
  }

  dispute(name: string, all: number): void {
    if (this.won.has(name) || this.#owed.has(name)) return;
    this.disputes.set(name, Math.max(all, this.disputes.get(name) ?? 0));
    this.#settle();
  }

  /** It stands as it was, and is owed, where the account has no room for what comes back. */
  win(name: string): void {
    if (this.won.has(name)) return;
    this.won.add(name);
    if (this.account.balance + this.#due.given > QUOTA_MAX) {
      this.won.delete(name);
      this.#owed.add(name);
    }
    this.#settle();
  }

  /** Disputes whose quota is to be given back. */
  get owed(): string[] {
    return [...this.#owed].filter((name) => !this.won.has(name));
  }

  giveOwed(): void {
    for (const name of this.owed) this.win(name);
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

  /** What is gone beyond what the account has lost; of what comes back, what was written off and what the account is given. */
  get #due(): { more: number; forgiven: number; given: number } {
    const { taken, writtenOff } = this.lost;
    const more = this.isCredited ? this.reversed.quota - taken - writtenOff : 0;
    const back = Math.max(-more, 0);
    const forgiven = Math.min(back, writtenOff);
    return { more, forgiven, given: back - forgiven };
  }

  /** The account has lost what is gone, no more and no less; what comes back was never written off first of all. */
  #settle(): void {
    if (!this.isCredited) return;
    this.status = this.#state();
    const { lost, account } = this;
    const { more, forgiven, given } = this.#due;
    if (more > 0) {
      const { taken, writtenOff } = account.takeBack(more, nowSec());
      lost.taken += taken;
      lost.writtenOff += writtenOff;
    }
    if (forgiven > 0) {
      lost.writtenOff -= forgiven;
      account.move('writeOff', 0, nowSec());
    }
    if (given > 0) {
      lost.taken -= given;
      account.move('reinstated', given, nowSec());
    }
  }

  #state(): string {
    const standing = [...this.disputes.keys()].filter((name) => !this.won.has(name));
    if (standing.some((name) => !this.#owed.has(name))) return 'disputed';
    if (standing.length > 0) return 'owed';
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
